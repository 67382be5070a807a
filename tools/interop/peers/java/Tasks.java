import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import software.amazon.awssdk.services.sqs.SqsClient;

/** The protocol: a task a line on stdin, an answer a line on stdout, both JSON; ends with stdin. */
final class Tasks {
    static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);

    interface Work {
        Object perform(JsonNode task) throws Exception;
    }

    /** Answers every task with what the work returns, or with what it throws. */
    static void serve(Work work) throws Exception {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (var line = in.readLine(); line != null; line = in.readLine()) {
            var answer = new LinkedHashMap<String, Object>();
            try {
                var result = work.perform(JSON.readTree(line));
                answer.put("ok", true);
                answer.put("result", result);
            } catch (Exception error) { // whatever it is, the driver judges it
                answer.put("ok", false);
                answer.put("error", error.toString());
            }
            out.println(JSON.writeValueAsString(answer));
        }
    }

    /** Credentials and region are in the environment. */
    static SqsClient client(String endpoint) {
        return SqsClient.builder().endpointOverride(URI.create(endpoint)).build();
    }

    @SuppressWarnings("unchecked")
    static Map<String, String> headers(JsonNode node) {
        return JSON.convertValue(node, Map.class);
    }

    private Tasks() {}
}
