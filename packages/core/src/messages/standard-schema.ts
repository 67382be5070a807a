/**
 * What is used of the Standard Schema interface, version 1 (https://standardschema.dev), which zod,
 * valibot, arktype and others implement. Written out here, so that this package needs no other one,
 * in its types neither; a type test holds it to `@standard-schema/spec`.
 */
export interface StandardSchema<TInput = unknown, TOutput = TInput> {
  readonly "~standard": StandardProps<TInput, TOutput>;
}

export interface StandardProps<TInput = unknown, TOutput = TInput> {
  readonly version: 1;
  /** The name of the library. */
  readonly vendor: string;
  readonly validate: (value: unknown) => StandardResult<TOutput> | Promise<StandardResult<TOutput>>;
  /** Holds nothing at run time. */
  readonly types?: StandardTypes<TInput, TOutput> | undefined;
}

export interface StandardTypes<TInput = unknown, TOutput = TInput> {
  /** What goes in: what a producer sends. */
  readonly input: TInput;
  /** What comes out: what a handler gets. Another type than the input's where a schema transforms. */
  readonly output: TOutput;
}

/** `issues` tells a failure from a success. */
export type StandardResult<TOutput> =
  | { readonly value: TOutput; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  /** The way to the value, from the outside in. Default: the value that was validated. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a schema takes. */
export type InferInput<TSchema extends StandardSchema> = NonNullable<
  TSchema["~standard"]["types"]
>["input"];

/** What a schema makes of it. */
export type InferOutput<TSchema extends StandardSchema> = NonNullable<
  TSchema["~standard"]["types"]
>["output"];
