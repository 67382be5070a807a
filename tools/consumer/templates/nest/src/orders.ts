import { type Message, SQSClient } from "@aws-sdk/client-sqs";
import { UrnRouter } from "@babelqueue/core";
import { SqsConsumer, SqsPublisher } from "@babelqueue/sqs";
import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
} from "@nestjs/common";

interface Order {
  order_id: number;
}

const urn = "urn:babel:orders:created";
const url = "http://127.0.0.1/000000000000/orders";

@Injectable()
export class OrderPublisher {
  private readonly publisher: SqsPublisher;

  constructor(client: SQSClient) {
    this.publisher = new SqsPublisher(client, url);
  }

  created(order: Order): Promise<string> {
    return this.publisher.publish(urn, order);
  }
}

@Injectable()
export class Orders {
  private resolve: (id: number) => void;
  readonly shipped = new Promise<number>((resolve) => {
    this.resolve = resolve;
  });

  ship({ order_id }: Order): void {
    this.resolve(order_id);
  }
}

@Injectable()
export class OrderConsumer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly consumer: SqsConsumer;
  state = "created";
  private running: Promise<void>;

  constructor(client: SQSClient, orders: Orders) {
    const router = new UrnRouter<Message>().on<Order>(urn, ({ data }) => orders.ship(data));
    this.consumer = new SqsConsumer(client, url, router);
  }

  onApplicationBootstrap(): void {
    this.running = this.consumer.run();
    this.state = "runs";
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.consumer.stop();
    await this.running;
    this.state = "stopped";
  }
}
