package io.berth.submit.http;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.emptyString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;

import io.restassured.http.ContentType;
import io.restassured.response.Response;
import io.restassured.response.ValidatableResponse;
import io.restassured.specification.RequestSpecification;
import java.time.Duration;
import org.awaitility.Awaitility;

/// Requests as people send them.
final class Api {
    static final String SCRIPT = "#!/bin/sh\\nhostname\\n";

    private Api() {}

    static RequestSpecification as(String user) {
        return given().auth().oauth2(Tokens.user(user));
    }

    static RequestSpecification asOperator() {
        return given().auth().oauth2(Tokens.operator());
    }

    static RequestSpecification asAdmin() {
        return given().auth().oauth2(Tokens.admin());
    }

    /// A submission with these JSON fields, such as `"nodes":2`, besides the script.
    static Response submit(RequestSpecification caller, String fields) {
        String more = fields.isEmpty() ? "" : "," + fields;
        return caller.contentType(ContentType.JSON)
                .body("{\"script\":\"" + SCRIPT + "\"" + more + "}")
                .post("/v1/jobs");
    }

    /// The id of a new job.
    static long submitted(String user, String fields) {
        return submit(as(user), fields).then().statusCode(201).extract().jsonPath().getLong("id");
    }

    static void awaitReady() {
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> given().get("/q/health/ready").statusCode() == 200);
    }

    /// Repeats the assertions until they hold: what other services wrote shows a moment later.
    static void eventually(Runnable assertions) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(20))
                .untilAsserted(assertions::run);
    }

    static ValidatableResponse refused(Response response, int status, String code) {
        return response.then()
                .statusCode(status)
                .contentType(Problem.MEDIA_TYPE)
                .body("status", is(status))
                .body("type", is("about:blank"))
                .body("title", not(emptyString()))
                .body("detail", not(emptyString()))
                .body("code", is(code));
    }
}
