package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.aMapWithSize;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.everyItem;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;

import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.path.json.JsonPath;
import io.restassured.response.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@QuarkusTest
@QuarkusTestResource(MeshResource.class)
class ListTest {
    @BeforeEach
    void ready() {
        Api.awaitReady();
    }

    @Test
    void a_long_list_is_read_page_by_page_while_jobs_are_added() {
        List<Integer> first = submit("paul", 5);
        var seen = new ArrayList<Integer>();
        JsonPath page = page("&limit=2");
        seen.addAll(page.getList("jobs.id"));
        List<Integer> later = submit("paul", 2);

        while (page.get("next") != null) {
            page = page("&limit=2&cursor=" + page.getString("next"));
            seen.addAll(page.getList("jobs.id"));
        }

        first.addAll(later);
        assertThat(seen).isEqualTo(first);
    }

    private static JsonPath page(String more) {
        return Api.as("paul")
                .get("/v1/jobs?user=paul" + more)
                .then()
                .statusCode(200)
                .extract()
                .jsonPath();
    }

    @Test
    void a_page_that_ends_with_the_last_job_has_none_after_it() {
        submit("pia", 3);

        Api.as("pia")
                .get("/v1/jobs?user=pia&limit=3")
                .then()
                .body("jobs.size()", is(3))
                .body("next", nullValue());
    }

    @Test
    void only_the_fields_that_are_asked_for_are_answered() {
        List<Integer> ids = submit("quentin", 2);

        Api.as("quentin")
                .get("/v1/jobs?user=quentin&fields=id,state,hold")
                .then()
                .statusCode(200)
                .body("jobs.id", is(ids))
                .body("jobs.state", everyItem(is("PENDING")))
                .body("jobs", everyItem(aMapWithSize(2)));
    }

    @ParameterizedTest
    @CsvSource({
        "fields=id;oops, unknown field 'oops'; there are: ",
        "fields=;, fields names none",
        "limit=0, limit '0' is not 1 to 100000",
        "limit=many, limit 'many' is not 1 to 100000",
        "cursor=-1, cursor '-1' is none that this service gave",
        "cursor=<x>, cursor '<x>' is none that this service gave",
    })
    void a_parameter_that_cannot_be_is_refused_in_a_line(String parameter, String detail) {
        String[] parts = parameter.split("=", 2);

        Response response =
                Api.as("alice").queryParam(parts[0], parts[1].replace(';', ',')).get("/v1/jobs");

        Api.refused(response, 400, "invalid_request").body("detail", containsString(detail));
    }

    @Test
    void lists_are_narrowed_by_name_account_and_qos() {
        int named = id("\"name\":\"rare\"");
        int other = id("\"account\":\"team_b\"");

        shows("name=rare", named);
        shows("name=rare&account=team_a&qos=normal", named);
        shows("account=team_b", other);
        Api.as("alice").get("/v1/jobs?name=rare&qos=high").then().body("jobs.size()", is(0));
    }

    private static void shows(String filter, int id) {
        Api.eventually(() ->
                Api.as("alice")
                        .get("/v1/jobs?user=alice&job=" + id + "&" + filter)
                        .then()
                        .body("jobs.id", contains(id)));
    }

    private static int id(String fields) {
        return Math.toIntExact(Api.submitted("alice", fields));
    }

    /// Ids of new jobs, which the lists show.
    private static List<Integer> submit(String user, int count) {
        var ids = new ArrayList<Integer>();
        IntStream.range(0, count).forEach(_ -> ids.add(Math.toIntExact(Api.submitted(user, ""))));
        Api.eventually(() -> Api.as(user).get("/v1/jobs/" + ids.getLast()).then().statusCode(200));
        return ids;
    }
}
