/** The connections of a timeline, as their owner reads them. Pure. */

import { DOCTOR } from '../../../client/src/names.ts'
import type { TimelineStep } from '../objects/log/port.ts'
import { clientOfSteps } from './clients.ts'
import { type Group, groupSteps } from './group-steps.ts'
import { methodOf } from './verdict/evidence.ts'
import { verdictOf } from './verdict/verdict.ts'
import type { TimelineConnection, TimelineEntry, TimelineVerdict } from './views.ts'

/**
 * The connections, those with the latest step first.
 *
 * @param now in epoch milliseconds
 */
export function connectionsOf(
  steps: readonly TimelineStep[],
  now: number,
): readonly TimelineConnection[] {
  return groupSteps(steps)
    .map((group) => connectionOf(group, now))
    .sort((a, b) => b.lastAt - a.lastAt)
}

const EXAMINED: TimelineVerdict = {
  state: 'examination',
  summary:
    'edgeway doctor examined this server as several clients, with wrong requests too. What it found is in its report.',
  findings: [],
  checked: [],
}

function connectionOf(group: Group, now: number): TimelineConnection {
  const { steps, client, names, networks, isExamination } = group
  const known = isExamination ? undefined : clientOfSteps(steps)
  const [first] = steps
  const beganAt = first?.at ?? now
  const registered = steps.find(({ name }) => name !== undefined)?.name
  return {
    id: `${beganAt.toString(36)}-${first?.network ?? ''}`,
    client: {
      name: isExamination
        ? DOCTOR
        : (known?.name ?? [...names][0] ?? registered ?? first?.software ?? ''),
      ...(client !== undefined && !isExamination && { id: client }),
    },
    networks: networks.size > 0 ? [...networks] : steps.slice(0, 1).map(({ network }) => network),
    beganAt,
    lastAt: steps.at(-1)?.at ?? now,
    verdict: isExamination ? EXAMINED : verdictOf(steps, known, now),
    steps: steps.map((step): TimelineEntry => ({ ...step, title: titleOf(step) })),
  }
}

const TITLES: Readonly<Record<Exclude<TimelineStep['kind'], 'endpoint'>, string>> = {
  preflight: 'CORS preflight',
  'resource-metadata': 'protected resource metadata',
  'server-metadata': 'authorization server metadata',
  keys: 'signing keys',
  registration: 'registration',
  authorization: 'authorization request',
  consent: 'decision of the person',
  'sign-in': 'return from the sign-in',
  token: 'token',
  revocation: 'revocation',
  'other-path': 'a path that is not served',
}

function titleOf(step: TimelineStep): string {
  const { kind, details } = step
  if (kind === 'token' && details.grant !== undefined) return `token (${details.grant})`
  return kind === 'endpoint' ? methodOf(step) : TITLES[kind]
}
