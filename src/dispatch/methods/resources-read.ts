/** `resources/read`. @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#reading-resources */

import { encodeBase64 } from '../../platform/base64.ts'
import { isJsonObject } from '../../protocol/json.ts'
import type { CacheHints, ReadResourceResult } from '../../protocol/primitives.ts'
import { excerpt, invalidParams, resourceNotFound } from '../../protocol/protocol-error.ts'
import type { FullContext } from '../../server/context.ts'
import type { Definition } from '../../server/definition.ts'
import { MAX_URI_LENGTH } from '../../server/uri-template/match.ts'
import { checkScopes } from '../access.ts'
import type { Call } from '../call.ts'
import { resourceContentsFault } from '../content-block.ts'
import { resultText } from '../result-text.ts'
import { badResult } from '../run-error.ts'
import { failureError, PLAIN_RUN, runHandler } from '../run-handler.ts'
import type { Named } from '../target.ts'
import { checkMeta } from '../tool-result.ts'
import type { RevisionContext } from './method.ts'

/** Control characters anywhere, white space at either end. */
const NOT_A_URI = /\p{Cc}|^\s|\s$/u

/** @throws {ProtocolError} for a malformed or unknown URI, missing scopes or a failed handler */
export async function readResource(
  { definition, codec }: RevisionContext,
  call: Call,
): Promise<string> {
  const uri = readUri(call)
  const stored = call.deployment.extensions.resources?.read(definition, call, uri)
  if (stored !== undefined) return readStoredFile(codec, definition, call, stored)
  const readable = readableOf(call, uri)
  const subject = `Resource ${uri}`
  try {
    const returned = await runHandler(call, codec, PLAIN_RUN, (ctx) => read(readable, uri, ctx))
    if (returned === undefined) throw resourceNotFound(uri)
    const result = toReadResult(uri, readable.definition.info.mimeType, returned)
    const cache = dependsOnInputs(call) ? NOT_CACHEABLE : cacheOf(definition, readable.definition)
    return resultText(call, codec, codec.readResourceResult(result), cache)
  } catch (error) {
    throw failureError(call, definition, subject, error)
  }
}

async function readStoredFile(
  codec: RevisionContext['codec'],
  definition: Definition,
  call: Call,
  read: Promise<ReadResourceResult>,
): Promise<string> {
  try {
    const result = await call.run.cancellation.waitFor(read)
    return resultText(call, codec, codec.readResourceResult(result), NOT_CACHEABLE)
  } catch (error) {
    // The URI of a file is a secret of anonymous callers.
    throw failureError(call, definition, 'A file', error)
  }
}

/** No cache shares what a factory has built. */
function cacheOf({ isPrivate }: Definition, { cache }: Readable['definition']): CacheHints {
  return isPrivate ? { ...cache, cacheScope: 'private' } : cache
}

const NOT_CACHEABLE: CacheHints = { ttlMs: 0, cacheScope: 'private' }

/**
 * Whether the request carries answers, which are not part of the key of a cache.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching#cache-key
 */
function dependsOnInputs({ request: { params } }: Call): boolean {
  return params?.inputResponses !== undefined || params?.requestState !== undefined
}

/** @throws {ProtocolError} invalidParams, if `params.uri` is not an absolute URI within the limit */
export function readUri({ request }: Call): string {
  const uri = request.params?.uri
  if (typeof uri !== 'string') throw invalidParams('params.uri must be a string')
  if (uri.length > MAX_URI_LENGTH) {
    throw invalidParams(`params.uri must be at most ${MAX_URI_LENGTH} characters`)
  }
  // `URL` strips characters that RFC 3986 forbids, and would then name another resource than the client sent.
  if (!URL.canParse(uri) || NOT_A_URI.test(uri) || !uri.isWellFormed()) {
    throw invalidParams('params.uri must be an absolute URI', { uri: excerpt(uri) })
  }
  return uri
}

type Readable = Extract<Named, { kind: 'resource' | 'template' }>

/**
 * The resource of a URI, or a matched template.
 *
 * @throws {ProtocolError} if there is none that the caller sees, or scopes are missing
 */
export function readableOf({ target: { named }, request }: Call, uri: string): Readable {
  if (named?.kind !== 'resource' && named?.kind !== 'template') throw resourceNotFound(uri)
  checkScopes(named.definition, request.auth)
  return named
}

function read(named: Readable, uri: string, ctx: FullContext): unknown {
  const url = new URL(uri)
  return named.kind === 'resource'
    ? named.definition.read(url, ctx)
    : named.definition.read(url, named.variables ?? {}, ctx)
}

function toReadResult(
  uri: string,
  mimeType: string | undefined,
  returned: unknown,
): ReadResourceResult {
  const fields = mimeType === undefined ? { uri } : { uri, mimeType }
  if (typeof returned === 'string') return { contents: [{ ...fields, text: returned }] }
  if (returned instanceof Uint8Array) {
    return { contents: [{ ...fields, blob: encodeBase64(returned) }] }
  }
  if (Array.isArray(returned)) return checkContents({ contents: returned })
  if (isJsonObject(returned) && Array.isArray(returned.contents)) {
    return checkContents(returned)
  }
  if (isJsonObject(returned) && typeof returned.uri === 'string') {
    return checkContents({ contents: [returned] })
  }
  throw badResult('a resource returns text, bytes, contents or { contents }')
}

type UncheckedContents = { readonly [Member in keyof ReadResourceResult]?: unknown }

export function checkContents({ contents, _meta }: UncheckedContents): ReadResourceResult {
  if (!Array.isArray(contents)) throw badResult('contents must be a list')
  for (const [index, item] of contents.entries()) {
    const fault = resourceContentsFault(`contents[${index}]`, item)
    if (fault !== undefined) throw badResult(fault)
  }
  return _meta === undefined ? { contents } : { contents, _meta: checkMeta(_meta) }
}
