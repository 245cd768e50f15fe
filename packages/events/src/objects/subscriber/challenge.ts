/** The challenge that a callback must answer before the first delivery, so that no client subscribes the host of another party. */
import { DOCUMENT_BOUNDS, parseBoundedJson } from '../../../../../src/platform/bounded-json.ts'
import { randomToken } from '../../../../../src/platform/random-token.ts'
import { isSameText } from '../../../../../src/platform/same-text.ts'
import { tryParseJson } from '../../../../../src/platform/try-parse.ts'
import type { CallbackFault } from '../../../../../src/protocol/events.ts'
import { isJsonObject, isTextList } from '../../../../../src/protocol/json.ts'
import { askCallback, sendMessage } from './callback-post.ts'
import type { SubscriberParts } from './parts.ts'

/** Of an answer. */
const MAX_ECHO_BYTES = 4096
const MAX_CONSENT_BYTES = 16_384

/** A consent whose headers name no time is valid for an hour; none is valid for more than a day. */
const CONSENT_MS = 60 * 60_000
const MAX_CONSENT_MS = 24 * 60 * 60_000

export interface Callback {
  readonly url: string
  /** Of the subscription, which it will have. */
  readonly id: string
}

/** Sends a challenge and compares its echo. Undefined when they are equal. */
export async function challenge(
  parts: SubscriberParts,
  callback: Callback,
  key: Uint8Array<ArrayBuffer>,
): Promise<CallbackFault | undefined> {
  const nonce = randomToken()
  const message = { type: 'verification', challenge: nonce } as const
  const answer = await sendMessage(parts, callback, message, [key], MAX_ECHO_BYTES)
  const { status = 0, fault, text = '' } = answer
  if (status >= 300 && status < 400) return 'challenge_failed'
  if (fault !== undefined) return fault
  const echo = tryParseJson(text)
  const echoed = isJsonObject(echo) ? echo.challenge : undefined
  const isEchoed = typeof echoed === 'string' && (await isSameText(echoed, nonce))
  return isEchoed ? undefined : 'challenge_failed'
}

/**
 * Reads whether the host of a callback accepts deliveries without a challenge. Returns for how long, in milliseconds;
 * undefined when it does not.
 */
export async function findConsent(
  parts: SubscriberParts,
  url: string,
): Promise<number | undefined> {
  const { origin, pathname, protocol } = new URL(url)
  // A host that decodes a separator may serve another path.
  if (protocol !== 'https:' || /%(?:2f|5c)/i.test(pathname)) return undefined
  const { status, text, cacheControl } = await askCallback(parts, {
    url: `${origin}/.well-known/mcp-webhook-receiver.json`,
    headers: { accept: 'application/json', 'user-agent': 'edgeway' },
    maxBytes: MAX_CONSENT_BYTES,
  })
  const document = parseBoundedJson(text ?? '', DOCUMENT_BOUNDS)
  if (status !== 200 || !document.ok || !isJsonObject(document.value)) return undefined
  const { receivers } = document.value
  const isNamed = isTextList(receivers) && receivers.some((prefix) => isBelow(pathname, prefix))
  return isNamed ? freshMs(cacheControl ?? '') : undefined
}

/** Whether a path is that of the prefix, or below it: `/hooks` does not include `/hooks-of-others`. */
function isBelow(path: string, prefix: string): boolean {
  if (!prefix.startsWith('/')) return false
  return path === prefix || path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`)
}

/** 0 for an answer that must not be kept: it is valid once. */
function freshMs(cacheControl: string): number {
  if (/\bno-(?:store|cache)\b/i.test(cacheControl)) return 0
  const seconds = /(?:^|[\s,])max-age="?(\d{1,9})/i.exec(cacheControl)?.[1]
  return seconds === undefined ? CONSENT_MS : Math.min(Number(seconds) * 1000, MAX_CONSENT_MS)
}
