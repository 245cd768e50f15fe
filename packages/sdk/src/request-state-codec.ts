/** `createRequestStateCodec()` of the SDK 2.x: signs the state that a handler returns with `inputRequired()`. */
import {
  decodeBase64Url,
  decodeBase64UrlText,
  encodeBase64Url,
} from '../../../src/platform/base64.ts'
import type { ServerContext } from './extra.ts'

export interface RequestStateCodecOptions {
  /** At least 32 bytes. A text is encoded as UTF-8. */
  key: Uint8Array | string
  /** How long a state is valid, in seconds. Default 600. */
  ttlSeconds?: number
  /** What a state belongs to besides, such as the method or the caller. It is not part of the state. */
  bind?: (ctx: ServerContext) => string
}

export interface RequestStateCodec<T = unknown> {
  /**
   * @param ctx required with the option `bind`
   * @throws {TypeError} without it
   */
  mint(payload: T, ctx?: ServerContext): Promise<string>
  /** Rejects with an `Error` whose message is `malformed`, `mac`, `expired` or `bind`. */
  verify(state: string, ctx: ServerContext): Promise<T>
}

const PREFIX = 'v1.'
const BIND_LABEL = 'mcp.requestState.bind:'
const MIN_KEY_BYTES = 32
const DEFAULT_TTL_SECONDS = 600
const TAG_BYTES = 16
const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' } as const

/** The signed part of a state. The names are those of the SDK, which can read it. */
interface Envelope {
  readonly p?: unknown
  /** Epoch seconds. */
  readonly exp?: unknown
  readonly b?: unknown
}

/**
 * Signs states. In Edgeway they stay on the server; elsewhere a client could read one, and not change it.
 *
 * @throws {RangeError} for a key of less than 32 bytes, and a duration that is not finite
 */
export function createRequestStateCodec<T = unknown>({
  key,
  ttlSeconds = DEFAULT_TTL_SECONDS,
  bind,
}: RequestStateCodecOptions): RequestStateCodec<T> {
  const bytes = typeof key === 'string' ? utf8(key) : Uint8Array.from(key)
  if (bytes.byteLength < MIN_KEY_BYTES) {
    throw new RangeError(`createRequestStateCodec: key must be at least ${MIN_KEY_BYTES} bytes`)
  }
  if (!Number.isFinite(ttlSeconds)) {
    throw new RangeError('createRequestStateCodec: ttlSeconds must be a finite number')
  }
  let imported: CryptoKey | undefined
  const importKey = async () => {
    // At module level, where codecs are created, the platform has no cryptography.
    imported ??= await crypto.subtle.importKey('raw', bytes, ALGORITHM, false, ['sign', 'verify'])
    return imported
  }
  const sign = async (text: string) =>
    new Uint8Array(await crypto.subtle.sign('HMAC', await importKey(), utf8(text)))
  const tagOf = async (ctx: ServerContext | undefined) => {
    if (bind === undefined) return undefined
    if (ctx === undefined)
      throw new TypeError('createRequestStateCodec: with bind, mint() needs ctx')
    return encodeBase64Url((await sign(BIND_LABEL + bind(ctx))).slice(0, TAG_BYTES))
  }
  return {
    async mint(payload, ctx) {
      const b = await tagOf(ctx)
      const envelope: Envelope = {
        p: payload,
        exp: nowSeconds() + ttlSeconds,
        ...(b === undefined ? undefined : { b }),
      }
      const body = encodeBase64Url(utf8(JSON.stringify(envelope)))
      return `${PREFIX}${body}.${encodeBase64Url(await sign(PREFIX + body))}`
    },
    async verify(state, ctx) {
      const [version, body, signature, ...more] = state.split('.')
      const mac = decodeBase64Url(signature ?? '')
      if (`${version}.` !== PREFIX || !body || mac === undefined || more.length > 0) {
        throw new Error('malformed')
      }
      const signed = utf8(PREFIX + body)
      if (!(await crypto.subtle.verify('HMAC', await importKey(), mac, signed))) {
        throw new Error('mac')
      }
      const { p, exp, b } = readEnvelope(body)
      if (typeof exp !== 'number' || exp < nowSeconds()) throw new Error('expired')
      // Both are signed, so comparing them tells nothing to a client.
      if (b !== (await tagOf(ctx))) throw new Error('bind')
      // The author names the type of what `mint` has signed.
      return p as T
    },
  }
}

function readEnvelope(body: string): Envelope {
  const text = decodeBase64UrlText(body)
  if (text === undefined) throw new Error('malformed')
  return JSON.parse(text) as Envelope
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
