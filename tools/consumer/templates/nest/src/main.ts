import { SQSClient } from "@aws-sdk/client-sqs";
import { Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { fakeClient } from "./fake-client";
import { OrderConsumer, OrderPublisher, Orders } from "./orders";

const deleted: string[] = [];

@Module({
  providers: [
    { provide: SQSClient, useFactory: () => fakeClient(deleted) },
    OrderPublisher,
    Orders,
    OrderConsumer,
  ],
})
class AppModule {}

async function bootstrap(): Promise<void> {
  const app = await NestFactory.createApplicationContext(AppModule, { logger: ["error", "warn"] });
  const orders = app.get(OrderConsumer);
  const before = orders.state;
  await app.get(OrderPublisher).created({ order_id: 1042 });
  const shipped = await app.get(Orders).shipped;
  // at once: what is being handled has to be settled in the shutdown
  await app.close();
  const { handled, inFlight } = orders.consumer.stats();
  console.log([before, shipped, handled, inFlight, deleted, orders.state].join(" "));
}
void bootstrap();
