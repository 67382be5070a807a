import { expect, test } from "vitest";
import * as sqs from "./index.js";

test("exports these, and nothing else", () => {
  expect(Object.keys(sqs).sort()).toMatchInlineSnapshot(`
    [
      "HandlerUnfinishedError",
      "MessageTooLargeError",
      "SqsConsumer",
      "SqsDeadLetterError",
      "SqsDeleteError",
      "SqsPublisher",
      "SqsReceiveError",
      "SqsReleaseError",
      "SqsRequestError",
      "SqsSendError",
      "VisibilityLostError",
      "headersOf",
      "toMessageAttributes",
    ]
  `);
});
