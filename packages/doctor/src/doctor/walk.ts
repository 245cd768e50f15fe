/** The way of each client, step by step, and what it finds. Pure: everything was observed before. */

import type { ClientName } from '../../../client/src/names.ts'
import { effectOn } from '../../../faults/src/fault.ts'
import { FAULTS } from '../../../faults/src/faults.ts'
import type { Client } from './clients.ts'
import type { Detected, Step } from './detected.ts'
import type { Observations } from './observations.ts'
import { browser, wellKnown } from './steps/browser.ts'
import { definitions } from './steps/definitions.ts'
import { discovery } from './steps/discovery.ts'
import { events } from './steps/events/events.ts'
import { handshake } from './steps/handshake.ts'
import { limits } from './steps/limits.ts'
import { lists } from './steps/lists.ts'
import { reach } from './steps/reach.ts'
import { initialized, requests, restart } from './steps/session.ts'
import { signIn } from './steps/sign-in.ts'
import { stream } from './steps/stream.ts'
import { token } from './steps/token.ts'

export interface Finding {
  readonly code: string
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly clause: string
  readonly fix: string
}

export interface ClientReport {
  readonly name: ClientName
  readonly connects: boolean
  readonly findings: readonly Finding[]
  /** The title of the first step that the client does not pass. */
  readonly failsAt: string | undefined
}

/** Steps with causes of their own: the owner of the server can correct several of them at once. */
const WAY_IN: readonly Step[] = [reach, limits, browser, wellKnown, discovery, signIn, token]

/** A client that rejects an answer in one of these steps ends the connection and takes no more steps. */
const CONNECTION: readonly Step[] = [
  handshake,
  initialized,
  lists,
  definitions,
  requests,
  stream,
  restart,
  events,
]

export function walk(observed: Observations, client: Client): ClientReport {
  const findings = new Map<string, Finding>()
  let failsAt: string | undefined
  for (const step of [...WAY_IN, ...CONNECTION]) {
    // The first message of a code is the cause; later ones are its consequences.
    const found = step.check(observed, client).filter(({ code }) => !findings.has(code))
    const reported = found.flatMap((fault) => findingOf(fault, client.name) ?? [])
    for (const finding of reported) findings.set(finding.code, finding)
    const isBroken = found.some(({ code }) => effectOn(FAULTS[code], client.name) === 'breaks')
    if (!isBroken) continue
    failsAt ??= step.title
    if (CONNECTION.includes(step)) break
  }
  const connects = failsAt === undefined
  return { name: client.name, connects, failsAt, findings: [...findings.values()] }
}

export function findingOf({ code, message }: Detected, client: ClientName): Finding | undefined {
  const fault = FAULTS[code]
  const effect = effectOn(fault, client)
  if (effect === undefined) return undefined
  return {
    code,
    severity: effect === 'degrades' ? 'warning' : 'error',
    message: `${fault.meaning} ${message}.`,
    clause: `${fault.clause} (${fault.source})`,
    fix: fault.fix,
  }
}
