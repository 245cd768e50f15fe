/** Decides whether a callback may receive deliveries: by its origin, by an earlier challenge, or by a new one. */

import { sha256Base64Url } from '../../../../../src/platform/digest.ts'
import { randomToken } from '../../../../../src/platform/random-token.ts'
import { callbackError, exhausted } from '../../../../../src/protocol/event-errors.ts'
import type { CallbackFault, EventError } from '../../../../../src/protocol/events.ts'
import { checkCallback } from '../callback-rules.ts'
import { parseCallbackSecret } from '../callback-secret.ts'
import type { CallbackRules } from '../event-settings.ts'
import type { SubscribeRequest } from '../port.ts'
import { challenge, findConsent } from './challenge.ts'
import { policyOf, type SubscriberParts } from './parts.ts'
import { countMarks, deleteMarks, hasMark, putMark } from './statements.ts'
import { write } from './subscriber-storage.ts'

const MINUTE_MS = 60_000

/** Faults of a callback that can be reached and does not know challenges. */
const WITHOUT_ECHO: readonly CallbackFault[] = ['challenge_failed', 'http_4xx']

/**
 * Returns why the callback of a request is refused; undefined when it is verified.
 *
 * @param id of the subscription
 * @param isCurrent whether the result may still be stored
 */
export async function verifyCallback(
  parts: SubscriberParts,
  id: string,
  { url, secret }: Pick<SubscribeRequest, 'url' | 'secret'>,
  isCurrent: () => boolean,
): Promise<EventError | undefined> {
  const { context, storage, sql, limits } = parts
  const checked = await checkCallback(url, policyOf(parts))
  const key = parseCallbackSecret(secret)
  // The Worker has checked both. The operator may have withdrawn its trust since.
  if (!checked.ok || key === undefined) return callbackError('connection_refused')
  const { url: parsed, isTrusted } = checked.value
  if (isTrusted && !isChallenged(context.host.settings.callbacks, parsed.origin)) return undefined
  // With the secret, so that a new one is verified again.
  const digest = await sha256Base64Url(JSON.stringify([url, secret]))
  const { now } = parts
  if (hasMark(sql, 'verified', digest, now) || !isCurrent()) return undefined
  const max = limits.challengesPerMinute
  if (countMarks(sql, 'challenge', now) >= max) {
    return exhausted('verifications_per_minute', max)
  }
  // Counted before anything is awaited: concurrent calls would all find the same free places.
  write(storage, () => {
    deleteMarks(sql, now)
    putMark(sql, 'challenge', randomToken(9), now + MINUTE_MS)
  })
  const { host, env } = context
  if (!isTrusted && (await host.limitOfCallback(env, parsed.hostname))) {
    return exhausted('verifications_per_minute')
  }
  const fault = await challenge(parts, { url, id }, key)
  let validMs: number | undefined = limits.verificationMs
  if (fault !== undefined) {
    validMs = WITHOUT_ECHO.includes(fault) ? await findConsent(parts, url) : undefined
    if (validMs === undefined) return callbackError(fault)
  }
  const until = parts.now + validMs
  if (isCurrent()) write(storage, () => putMark(sql, 'verified', digest, until))
  return undefined
}

function isChallenged({ challengeTrusted = false }: CallbackRules, origin: string): boolean {
  return typeof challengeTrusted === 'function' ? challengeTrusted(origin) : challengeTrusted
}
