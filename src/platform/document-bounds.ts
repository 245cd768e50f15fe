/** The bounds on JSON documents that other parties publish or register: far above every real one. */
import type { JsonBounds } from './bounded-json.ts'

export const DOCUMENT_BOUNDS: JsonBounds = { depth: 32, values: 10_000 }
