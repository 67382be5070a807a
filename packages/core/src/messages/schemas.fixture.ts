import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import type { StandardSchema } from "../index.js";

/** An order as it travels. */
export interface SentOrder {
  order_id: number;
  placed_at: string;
  lines: { sku: string; amount: number }[];
}

/** An order as its handler gets it. */
export interface Order {
  order_id: number;
  placed_at: Date;
  lines: { sku: string; amount: number }[];
}

export const zodOrder = z.object({
  order_id: z.number().int().positive(),
  placed_at: z.iso.datetime().transform((text) => new Date(text)),
  lines: z.array(z.object({ sku: z.string(), amount: z.number() })),
});

export const valibotOrder = v.object({
  order_id: v.pipe(v.number(), v.integer(), v.minValue(1)),
  placed_at: v.pipe(
    v.string(),
    v.isoTimestamp(),
    v.transform((text) => new Date(text)),
  ),
  lines: v.array(v.object({ sku: v.string(), amount: v.number() })),
});

export const arktypeOrder = type({
  order_id: "number.integer > 0",
  placed_at: "string.date.iso.parse",
  lines: type({ sku: "string", amount: "number" }).array(),
});

/** The same order in each library. */
export const orderSchemas: readonly (readonly [string, StandardSchema<SentOrder, Order>])[] = [
  ["zod", zodOrder],
  ["valibot", valibotOrder],
  ["arktype", arktypeOrder],
];

/** A schema by hand; `validate` may return anything, for anybody may write one. */
export function schemaOf<TInput extends object = Record<string, unknown>, TOutput = TInput>(
  validate: (value: unknown) => unknown,
): StandardSchema<TInput, TOutput> {
  return {
    "~standard": {
      version: 1,
      vendor: "by-hand",
      validate: validate as StandardSchema<TInput, TOutput>["~standard"]["validate"],
    },
  };
}

/** Takes everything. */
export const anything = schemaOf((value) => ({ value }));

/** Finds these issues. */
export function failing(...issues: unknown[]): StandardSchema<Record<string, unknown>> {
  return schemaOf(() => ({ issues }));
}
