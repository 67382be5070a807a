import { Ajv } from "ajv";
import { expect } from "vitest";
import type { Folder } from "./folder.js";

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const validators = new WeakMap<object, ReturnType<Ajv["compile"]>>();

/** The text satisfies the folder's JSON Schema of a produced envelope, where the folder has one. */
export function expectProducible({ schema }: Folder, text: string): void {
  if (schema === undefined) return;
  let validate = validators.get(schema);
  if (validate === undefined) {
    validate = new Ajv({ allowUnionTypes: true, formats: { uuid: UUID } }).compile(schema);
    validators.set(schema, validate);
  }
  const problems = validate(JSON.parse(text)) === true ? [] : validate.errors;
  expect(problems, "the folder's schema of a produced envelope").toEqual([]);
}
