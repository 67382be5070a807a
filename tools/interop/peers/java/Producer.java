import com.babelqueue.EnvelopeCodec;
import com.babelqueue.sqs.SqsPublisher;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import software.amazon.awssdk.services.sqs.SqsClient;

/** Publishes as a service on the published Java SDK would. */
public final class Producer {
    public static void main(String[] args) throws Exception {
        var sqs = Tasks.client(args[0]);
        Tasks.serve(task -> publish(sqs, task));
    }

    @SuppressWarnings("unchecked")
    private static String publish(SqsClient sqs, JsonNode task) throws Exception {
        var publisher =
                SqsPublisher.builder(sqs, task.get("queueUrl").textValue())
                        .fifo(task.get("fifo").booleanValue())
                        .build();
        var urn = task.get("urn").textValue();
        Map<String, Object> data = Tasks.JSON.readValue(task.get("data").textValue(), Map.class);
        if (!task.get("headers").isEmpty()) {
            var envelope = EnvelopeCodec.make(urn, data);
            publisher.publishWithHeaders(envelope, Tasks.headers(task.get("headers")));
            return envelope.meta().id();
        }
        var traceId = task.get("traceId");
        return traceId.isNull()
                ? publisher.publish(urn, data)
                : publisher.publish(urn, data, traceId.textValue());
    }

    private Producer() {}
}
