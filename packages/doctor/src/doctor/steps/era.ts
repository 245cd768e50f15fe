/** What was observed in the era that a client talks to this server in. */
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import type { Client } from '../clients.ts'
import type { Observations } from '../observations.ts'
import type { DefinitionsObservation } from '../probes/lists.ts'
import { modernCapabilities } from '../probes/modern.ts'
import { statusOf } from '../probes/reach.ts'
import type { OpenSessionObservation } from '../probes/session.ts'

/** Whether a client talks to this server in the modern era. */
export function isModern({ modern }: Observations, client: Client): boolean {
  return (
    client.startsModern && modern !== undefined && modernCapabilities(modern.discover) !== undefined
  )
}

/** The open session of a client; undefined for a client of the modern era. */
export function sessionOf(
  observed: Observations,
  client: Client,
): OpenSessionObservation | undefined {
  return isModern(observed, client) ? undefined : observed.session?.open
}

/** The lists, views and the call of the era of a client. */
export function definitionsOf(
  observed: Observations,
  client: Client,
): DefinitionsObservation | undefined {
  return isModern(observed, client)
    ? observed.modern?.definitions
    : observed.session?.open?.definitions
}

/** Whether the list of tools is refused with the version that was negotiated, and served without it. */
export function refusesVersion({
  definitions,
  withoutVersionHeader,
}: OpenSessionObservation): boolean {
  const list = definitions.lists[0]?.pages[0]
  return withoutVersionHeader.kind === 'result' && list !== undefined && statusOf(list) === 400
}

/** The member of a result that the modern revision requires, where it is missing; undefined where it is not. */
export function modernDefect(result: unknown): string | undefined {
  const { resultType } = isJsonObject(result) ? result : {}
  return resultType === 'complete' ? undefined : `resultType ${quoted(resultType)}`
}

/** As `modernDefect`, of a list, which says how long a client may keep it. */
export function modernListDefect(result: unknown): string | undefined {
  const { ttlMs, cacheScope } = isJsonObject(result) ? result : {}
  const unmarked = modernDefect(result)
  if (unmarked !== undefined) return unmarked
  if (typeof ttlMs !== 'number') return `ttlMs ${quoted(ttlMs)}`
  return cacheScope === 'public' || cacheScope === 'private'
    ? undefined
    : `cacheScope ${quoted(cacheScope)}`
}
