import com.babelqueue.Envelope;
import com.babelqueue.EnvelopeCodec;
import com.babelqueue.sqs.SqsConsumer;
import com.babelqueue.sqs.SqsHeaders;
import com.babelqueue.sqs.SqsPublisher;
import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.ReceiveMessageRequest;
import software.amazon.awssdk.services.sqs.model.ReceiveMessageResponse;

/** Consumes as a service on the published Java SDK would, and tells what its handlers saw. */
public final class Consumer {
    public static void main(String[] args) throws Exception {
        var sqs = Tasks.client(args[0]);
        Tasks.serve(
                task ->
                        task.get("op").textValue().equals("recode")
                                ? EnvelopeCodec.encode(EnvelopeCodec.decode(task.get("body").textValue()))
                                : consume(sqs, task));
    }

    private static List<Map<String, Object>> consume(SqsClient sqs, JsonNode task) {
        var received = new AtomicInteger();
        var last = new AtomicInteger();
        var counting = counting(sqs, task.get("waitSeconds").intValue(), received, last);
        var seen = new ArrayList<Map<String, Object>>();
        var builder = SqsConsumer.builder(counting, task.get("queueUrl").textValue());
        for (var urn : task.get("urns")) {
            builder.handler(
                    urn.textValue(),
                    (envelope, message) -> handle(sqs, task, urn.textValue(), envelope, message, seen));
        }
        var strategy = task.get("strategy");
        if (!strategy.isNull()) builder.unknownUrnStrategy(strategy.textValue());
        var deadLetters = task.get("deadLetters");
        if (!deadLetters.isNull()) {
            builder.deadLetterQueueUrl(deadLetters.get("queueUrl").textValue());
        }
        // a failure is the handler's own, and told by what is seen
        builder.onError((error, envelope, message) -> System.err.println(error));
        var consumer = builder.build();
        do {
            consumer.poll();
        } while (last.get() > 0 && received.get() < task.get("deliveries").intValue());
        return seen;
    }

    private static void handle(
            SqsClient sqs,
            JsonNode task,
            String urn,
            Envelope envelope,
            Message message,
            List<Map<String, Object>> seen) {
        var headers = SqsHeaders.of(message);
        seen.add(Map.of("handler", urn, "body", EnvelopeCodec.encode(envelope), "headers", headers));
        if (seen.size() <= task.get("failures").intValue()) {
            throw new IllegalStateException("told to fail");
        }
        var echo = task.get("echo");
        if (!echo.isNull()) {
            SqsPublisher.create(sqs, echo.get("queueUrl").textValue())
                    .publishWithHeaders(envelope, headers);
        }
    }

    /** The client, counting what is received, so that the end of a queue is seen. */
    private static SqsClient counting(
            SqsClient sqs, int waitSeconds, AtomicInteger received, AtomicInteger last) {
        return (SqsClient)
                Proxy.newProxyInstance(
                        Consumer.class.getClassLoader(),
                        new Class<?>[] {SqsClient.class},
                        (proxy, method, args) -> {
                            try {
                                if (args == null || !(args[0] instanceof ReceiveMessageRequest)) {
                                    return method.invoke(sqs, args);
                                }
                                var request =
                                        ((ReceiveMessageRequest) args[0])
                                                .toBuilder().waitTimeSeconds(waitSeconds).build();
                                ReceiveMessageResponse response = sqs.receiveMessage(request);
                                last.set(response.messages().size());
                                received.addAndGet(last.get());
                                return response;
                            } catch (InvocationTargetException error) {
                                throw error.getCause();
                            }
                        });
    }

    private Consumer() {}
}
