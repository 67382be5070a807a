/**
 * What travels beside the envelope and never in it, such as a W3C `traceparent`. A transport maps
 * headers to the broker's own attributes and says how many it can carry.
 */
export type Headers = Record<string, string>;
