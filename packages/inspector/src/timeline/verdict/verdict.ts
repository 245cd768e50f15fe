/** What became of a connection: how far it came, which step did not come, and what is known to prevent it. */

import { MODERN } from '../../../../client/src/names.ts'
import type { Answer } from '../../../../faults/src/checks/answer.ts'
import type { Clients } from '../../../../faults/src/fault.ts'
import type { TimelineStep } from '../../objects/log/port.ts'
import type { KnownClient } from '../clients.ts'
import type { CheckedCause, TimelineFinding, TimelineVerdict } from '../views.ts'
import { AFFECTED_CLIENTS } from './affected-clients.ts'
import { CHECKED_CODES, type CheckedCode, check } from './checks.ts'
import { type Evidence, evidenceOf } from './evidence.ts'
import type { FaultCode } from './fault-code.ts'
import {
  CLIENT_STEP_MS,
  EXPECTED,
  isNextRefused,
  PERSON_STEP_MS,
  progressOf,
  type Stage,
} from './stages.ts'

/** A failed check that is no proof: an authorization server may be at another host. */
const SUSPICIONS: readonly FaultCode[] = ['metadata-names-unreachable-host']

/** What follows from a fault is not reported beside it. */
const HIDES: Readonly<Partial<Record<FaultCode, readonly FaultCode[]>>> = {
  'metadata-names-internal-host': ['resource-mismatch', 'resource-not-exact'],
  'token-audience-mismatch': ['token-refused'],
  'client-document-refused': ['authorization-refused'],
  'registration-not-concurrent': ['registration-refused'],
  'rate-limited': ['initialize-refused', 'list-failed', 'call-failed', 'registration-refused'],
  'accept-refused': ['initialize-refused', 'list-failed', 'call-failed', 'stream-refused'],
  'session-not-found-at-once': ['notification-refused', 'list-failed', 'call-failed'],
  'origin-refused': ['cors-headers-hidden', 'initialize-refused', 'list-failed', 'call-failed'],
}

/**
 * @param steps of one connection in the order of their times, at least one
 * @param now in epoch milliseconds
 */
export function verdictOf(
  steps: readonly TimelineStep[],
  client: KnownClient | undefined,
  now: number,
): TimelineVerdict {
  const evidence = evidenceOf(steps)
  const progress = progressOf(steps)
  const { stage } = progress
  const findings = findingsOf(evidence, client)
  const expected = EXPECTED[stage]
  const name = client?.name ?? 'The client'
  if (expected === undefined) {
    const did =
      stage === 'called' ? 'connected and called' : 'connected and read what the server has'
    const refused = findings.find(({ code }) => code === 'events-subscribe-failed')
    const then = refused === undefined ? '' : ` Then it could not subscribe: ${refused.answer}.`
    return { state: 'connected', summary: `${name} ${did}.${then}`, findings, checked: [] }
  }
  const last = steps.at(-1)?.at ?? now
  const isLate = now - last > (expected.isOfPerson ? PERSON_STEP_MS : CLIENT_STEP_MS)
  const next = nextOf(stage, client) ?? expected.next
  if (!isLate) {
    const summary = `${name} ${expected.reached}. Next comes ${next}.`
    return { state: 'in-progress', summary, missing: next, findings, checked: [] }
  }
  const checked = expected.causes.map((code) => checkedCause(code, evidence))
  const became = isNextRefused(steps, progress) ? 'was refused' : 'did not come'
  const summary = `${name} ${expected.reached}, and ${next} ${became}. ${conclusion(findings, checked)}`
  return { state: 'stopped', summary, missing: next, findings, checked }
}

/** The next step of a client whose ways are known. */
function nextOf(stage: Stage, client: KnownClient | undefined): string | undefined {
  if (client === undefined) return undefined
  const { name, documents } = client
  if (stage === 'authorized') {
    return `${MODERN.includes(name) ? 'server/discover' : 'initialize'} with the token`
  }
  if (stage === 'server-known') {
    return documents === undefined ? 'a registration' : 'an authorization request'
  }
  return undefined
}

function findingsOf(evidence: Evidence, client: KnownClient | undefined): TimelineFinding[] {
  const failures = new Map<CheckedCode, Answer>()
  for (const code of CHECKED_CODES) {
    const result = check(code, evidence)
    if (result?.passed === false && !SUSPICIONS.includes(code)) failures.set(code, result)
  }
  const hidden = new Set([...failures.keys()].flatMap((code) => HIDES[code] ?? []))
  return [...failures].flatMap(([code, { seen }]) => {
    const severity = severityOf(code, client)
    return hidden.has(code) || severity === undefined ? [] : [{ code, severity, answer: seen }]
  })
}

/** Undefined for a fault that does not affect a known client. */
function severityOf(
  code: CheckedCode,
  client: KnownClient | undefined,
): TimelineFinding['severity'] | undefined {
  const [errors, warnings = []] = AFFECTED_CLIENTS[code] ?? ['all']
  if (client === undefined) return errors === 'all' ? 'error' : 'warning'
  const includes = (clients: Clients) => clients === 'all' || clients.includes(client.name)
  if (includes(errors)) return 'error'
  return includes(warnings) ? 'warning' : undefined
}

function checkedCause(code: FaultCode, evidence: Evidence): CheckedCause {
  const result = check(code, evidence)
  if (result === undefined) {
    return { code, result: 'unseen', answer: 'Nothing that this server has seen shows it' }
  }
  return { code, result: result.passed ? 'passed' : 'failed', answer: result.seen }
}

function conclusion(
  findings: readonly TimelineFinding[],
  checked: readonly CheckedCause[],
): string {
  const failed = checked.filter(({ result }) => result === 'failed').map(({ code }) => code)
  const errors = findings.filter(({ severity }) => severity === 'error').map(({ code }) => code)
  const causes = [...new Set([...errors, ...failed])]
  return causes.length > 0
    ? `The cause: ${causes.join(', ')}.`
    : "This server's own answers were right: what the client received may have been changed on the way. `npx edgeway doctor URL` examines the URL from outside."
}
