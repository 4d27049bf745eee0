package io.berth.submit.http;

import jakarta.ws.rs.QueryParam;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.jspecify.annotations.Nullable;

/// The parameters of a list of jobs, as they are sent: lists with commas, null is not given.
record JobQuery(
        @QueryParam("state")
                @Parameter(
                        description =
                                "Slurm's words or codes, or ALL; without, those that have not ended",
                        example = "PENDING,RUNNING")
                @Nullable String states,
        @QueryParam("user") @Parameter(example = "alice,bob") @Nullable String users,
        @QueryParam("account") @Nullable String accounts,
        @QueryParam("partition") @Nullable String partitions,
        @QueryParam("qos") @Nullable String qos,
        @QueryParam("name") @Nullable String names,
        @QueryParam("job")
                @Parameter(description = "Ids, of arrays and tasks too", example = "17,18_[1-3]")
                @Nullable String ids,
        @QueryParam("fields")
                @Parameter(description = "Only these fields of each job", example = "id,name,state")
                @Nullable String fields,
        @QueryParam("limit")
                @Parameter(
                        description = "The most jobs of one answer; without, all",
                        schema =
                                @Schema(
                                        type = SchemaType.INTEGER,
                                        minimum = "1",
                                        maximum = "100000"))
                @Nullable String limit,
        @QueryParam("cursor")
                @Parameter(
                        description = "`next` of the answer before, with the same other parameters")
                @Nullable String cursor) {}
