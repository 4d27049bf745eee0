package io.berth.submit.http;

import io.berth.slurm.BatchScript;
import io.berth.slurm.InvalidOption;
import io.berth.slurm.JobSubmission;
import io.berth.slurm.Sbatch;
import io.berth.slurm.SbatchLine;
import io.berth.slurm.SubmittedFrom;
import io.berth.submit.Deadline;
import io.berth.submit.Launch;
import io.berth.submit.Refusal.InvalidJson;
import io.berth.submit.Refused;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Reads a submission from the body of a request: JSON, taken strictly, or a batch script.
public final class SubmissionBody {
    private SubmissionBody() {}

    /// All bytes of the body.
    ///
    /// @throws BodyNotReceived if they take longer than that, or end before their end
    public static byte[] bytes(InputStream body, Duration limit) throws Refused {
        return bytes(body, limit, BodySize.MAX_BYTES);
    }

    /// All bytes of a body that may have so many.
    static byte[] bytes(InputStream body, Duration limit, int maxBytes) throws Refused {
        try {
            return read(body, limit, maxBytes);
        } catch (IOException e) {
            throw new BodyNotReceived(e);
        }
    }

    private static byte[] read(InputStream body, Duration limit, int maxBytes)
            throws IOException, Refused {
        var due = Deadline.in(limit);
        var bytes = new ByteArrayOutputStream();
        var chunk = new byte[16 << 10];
        for (int read = body.read(chunk); read >= 0; read = body.read(chunk)) {
            bytes.write(chunk, 0, read);
            if (bytes.size() > maxBytes) {
                throw new Refused(BodySize.tooLarge(maxBytes));
            }
            if (due.passed()) {
                throw new BodyNotReceived(limit);
            }
        }
        return bytes.toByteArray();
    }

    static JobSubmission json(byte[] body) throws Refused {
        JobSubmission asked =
                StrictJson.read(
                        body, JobSubmission.class, "a job: an object with the field 'script'");
        if (asked.script() == null) {
            throw new Refused(new InvalidJson("field 'script' is missing"));
        }
        return asked;
    }

    /// @param user the owner, if it is not the caller
    /// @param now by which the directives' times of day are read
    static JobSubmission script(byte[] body, @Nullable String user, Supplier<ZonedDateTime> now)
            throws Refused {
        try {
            return Sbatch.request(
                            SbatchLine.of(List.of()),
                            Map.of(),
                            BatchScript.of(body),
                            List.of(),
                            new SubmittedFrom(null, null, null, user, now))
                    .submission();
        } catch (InvalidOption e) {
            throw Launch.refused(e);
        }
    }
}
