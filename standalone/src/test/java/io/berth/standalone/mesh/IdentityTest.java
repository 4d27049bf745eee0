package io.berth.standalone.mesh;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdentityTest {

    @TempDir private Path folder;
    private MeshHome home;

    @BeforeEach
    void create_a_home() throws Exception {
        home = new MeshHome(folder.resolve("home"));
        home.create();
        Identity.of(home, "alice");
    }

    @Test
    void the_operators_token_names_the_user_and_the_group() throws Exception {
        String[] token = Files.readString(home.operatorToken()).strip().split("\\.");

        JsonNode claims = Json.mapper().readTree(Base64.getUrlDecoder().decode(token[1]));

        assertThat(claims.path("iss").asText()).isEqualTo("berth");
        assertThat(claims.path("sub").asText()).isEqualTo("alice");
        assertThat(claims.path("upn").asText()).isEqualTo("alice");
        assertThat(claims.path("groups")).extracting(JsonNode::asText).containsExactly("admin");
    }

    @Test
    void the_token_verifies_with_the_public_key() throws Exception {
        String token = Files.readString(home.operatorToken()).strip();
        int end = token.lastIndexOf('.');

        Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
        signature.initVerify(publicKey());
        signature.update(token.substring(0, end).getBytes(UTF_8));

        assertThat(signature.verify(Base64.getUrlDecoder().decode(token.substring(end + 1))))
                .isTrue();
    }

    @Test
    void secrets_are_readable_by_their_user_alone() throws Exception {
        for (Path secret : new Path[] {home.privateKey(), home.operatorToken()}) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(secret)))
                    .isEqualTo("rw-------");
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.root())))
                .isEqualTo("rwx------");
    }

    @Test
    void a_token_from_before_there_were_admins_is_made_anew() throws Exception {
        String admin = groups();
        String old =
                new String(
                        Base64.getUrlEncoder()
                                .encode("{\"groups\":[\"operator\"]}".getBytes(UTF_8)),
                        UTF_8);
        Files.writeString(home.operatorToken(), "e30." + old + ".x\n");

        Identity.of(home, "alice");

        assertThat(groups()).isEqualTo(admin);
    }

    @ParameterizedTest
    @ValueSource(strings = {"of no three parts", "e30.no base64.x", "e30.bm8.x", "e30.e30.x"})
    void another_token_that_was_put_there_stays(String token) throws Exception {
        Files.writeString(home.operatorToken(), token);

        Identity.of(home, "alice");

        assertThat(home.operatorToken()).hasContent(token);
    }

    private String groups() throws Exception {
        String[] token = Files.readString(home.operatorToken()).strip().split("\\.");
        return Json.mapper()
                .readTree(Base64.getUrlDecoder().decode(token[1]))
                .path("groups")
                .toString();
    }

    @Test
    void key_and_token_stay_the_same() throws Exception {
        String token = Files.readString(home.operatorToken());

        Identity.of(home, "alice");

        assertThat(home.operatorToken()).hasContent(token.strip());
    }

    private PublicKey publicKey() throws Exception {
        String pem = Files.readString(home.publicKey()).replaceAll("-----[A-Z ]+-----|\\s", "");
        return KeyFactory.getInstance("EC")
                .generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(pem)));
    }
}
