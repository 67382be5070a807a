import {
  type ContextManager,
  context,
  propagation,
  type TextMapPropagator,
  trace,
} from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  CompositePropagator,
  W3CBaggagePropagator,
  W3CTraceContextPropagator,
} from "@opentelemetry/core";
import * as sdk from "@opentelemetry/sdk-trace";

/*
 * The third generation of the SDK under the names of the second, as far as tests use them:
 * vitest.config.ts puts it in place of sdk-trace-base and sdk-trace-node.
 */
export * from "@opentelemetry/sdk-trace";

export class SimpleSpanProcessor extends sdk.SimpleSpanProcessor {
  constructor(exporter: sdk.SpanExporter) {
    super({ exporter });
  }
}

export interface Registration {
  readonly propagator?: TextMapPropagator | null;
  readonly contextManager?: ContextManager | null;
}

export class NodeTracerProvider extends sdk.TracerProvider {
  register({ propagator, contextManager }: Registration = {}): void {
    trace.setGlobalTracerProvider(this);
    if (contextManager !== null) {
      const manager = contextManager ?? new AsyncLocalStorageContextManager();
      context.setGlobalContextManager(manager.enable());
    }
    if (propagator !== null) {
      const propagators = [new W3CTraceContextPropagator(), new W3CBaggagePropagator()];
      propagation.setGlobalPropagator(propagator ?? new CompositePropagator({ propagators }));
    }
  }
}
