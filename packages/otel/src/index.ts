/**
 * OpenTelemetry tracing for BabelQueue. It exports nothing yet: its contents arrive with tracing.
 *
 * @packageDocumentation
 */

// oxlint-disable-next-line unicorn/require-module-specifiers -- it has to be a module all the same
export {};
