/**
 * Groups steps into connections without cookies: by session, by client id, and before the client is known by
 * network and software. Pure. Discovery that two clients of one network and software do at the same
 * time cannot be separated, and is one connection until each of them registers.
 */

import { DOCTOR } from '../../../client/src/names.ts'
import type { TimelineStep } from '../objects/log/port.ts'
import { clientOfSteps } from './clients.ts'
import { isChallenge, PERSON } from './verdict/evidence.ts'
import { losesToken, progressOf, STAGES } from './verdict/stages.ts'

/** The steps of one connection, in the order of their times. */
export interface Group {
  readonly steps: TimelineStep[]
  /** The client id; undefined while it is not known. */
  client: string | undefined
  readonly names: Set<string>
  readonly sessions: Set<string>
  readonly origins: Set<string>
  readonly networks: Set<string>
  /** The requests of `edgeway doctor`, which plays many clients, and of the person who signs in for it. */
  readonly isExamination: boolean
}

/** The steps of a person follow those of the client within this time. */
const PERSON_WINDOW_MS = 15 * 60_000

export function groupSteps(steps: readonly TimelineStep[]): readonly Group[] {
  const groups: Group[] = []
  const ordered = [...steps].sort((a, b) => a.at - b.at)
  for (const step of ordered) add(groupFor(groups, step), step)
  for (const { steps: own } of groups) own.sort((a, b) => a.at - b.at)
  return groups
}

function groupFor(groups: Group[], step: TimelineStep): Group {
  // The latest first: a client continues what it did last.
  const all = groups.toSorted((a, b) => lastOf(b) - lastOf(a))
  const isExamination = step.software === DOCTOR
  const latest = all.filter((group) => !group.isExamination)
  const known =
    all.find((group) => group.isExamination && examines(group, step)) ??
    (isExamination ? undefined : ofClient(groups, latest, step))
  if (known !== undefined) return known
  const created: Group = {
    steps: [],
    client: step.client,
    names: new Set(),
    sessions: new Set(),
    origins: new Set(),
    networks: new Set(),
    isExamination,
  }
  groups.push(created)
  return created
}

const ofClient = (groups: Group[], latest: readonly Group[], step: TimelineStep) =>
  bySession(latest, step) ??
  (step.client === undefined ? byOrigin(latest, step) : byClient(groups, latest, step))

/** Whether a step is one of an examination: a request of the doctor, or of the person whom it sent to the sign-in. */
function examines(group: Group, step: TimelineStep): boolean {
  if (step.at - lastOf(group) > PERSON_WINDOW_MS) return false
  if (step.software === DOCTOR) return group.networks.has(step.network)
  const { client, software, network } = step
  // The doctor registers for its own sign-in. Under the documents of clients it requests pages alone.
  if (!isOfPerson(step) || (client !== undefined && isShared(client))) return false
  return group.steps.some((other) =>
    client === undefined
      ? other.software === software && other.network === network
      : other.client === client,
  )
}

function add(group: Group, step: TimelineStep): void {
  group.steps.push(step)
  group.client ??= step.client
  if (step.name !== undefined && step.kind === 'endpoint') group.names.add(step.name)
  if (step.session !== undefined) group.sessions.add(step.session)
  // A browser is not the client.
  if (isOfPerson(step) && !group.isExamination) return
  group.origins.add(originOf(step))
  group.networks.add(step.network)
}

const originOf = ({ network, software }: TimelineStep) => `${network} ${software}`

const lastOf = ({ steps }: Group) => steps.at(-1)?.at ?? 0

const isOfPerson = ({ kind }: TimelineStep) => PERSON.includes(kind)

/** A client document belongs to all installations of a program. Any other id belongs to one. */
const isShared = (client: string) => client.startsWith('https://')

function bySession(latest: readonly Group[], step: TimelineStep): Group | undefined {
  const { session, client } = step
  if (session === undefined) return undefined
  return latest.find(
    (group) => group.sessions.has(session) && (client === undefined || group.client === client),
  )
}

/** What the client did before it was known joins what it did under its id. */
function byClient(
  groups: Group[],
  latest: readonly Group[],
  step: TimelineStep,
): Group | undefined {
  const own = latest.find((group) => group.client === step.client && isAt(group, step))
  const before = latest.find((group) => group.client === undefined && precedes(group, step))
  if (own === undefined || before === undefined) return own ?? before
  for (const earlier of before.steps) add(own, earlier)
  groups.splice(groups.indexOf(before), 1)
  return own
}

/** A client id of one installation is found in every network, as are the steps of a person. */
function isAt(group: Group, step: TimelineStep): boolean {
  if (step.client === undefined || !isShared(step.client)) return true
  if (!isOfPerson(step)) return group.networks.has(step.network)
  return step.at - lastOf(group) < PERSON_WINDOW_MS
}

/** Whether a group without a client may be what this client did before: at its origin, or before a person came. */
function precedes(group: Group, step: TimelineStep): boolean {
  if (!isOfPerson(step)) return group.origins.has(originOf(step))
  const isNext = stageIndex(group) <= STAGES.indexOf('server-known') && stageIndex(group) > 0
  if (!isNext || step.at - lastOf(group) > PERSON_WINDOW_MS) return false
  if (group.networks.has(step.network)) return true
  // The requests of a hosted client come from another network than the browser of its person.
  const client = clientOfSteps(group.steps)
  return client === undefined || client === clientOfSteps([step])
}

const stageIndex = ({ steps }: Group) => STAGES.indexOf(progressOf(steps).stage)

function byOrigin(latest: readonly Group[], step: TimelineStep): Group | undefined {
  if (isOfPerson(step)) {
    return latest.find(({ steps }) =>
      steps.some((other) => isOfPerson(other) && other.network === step.network),
    )
  }
  const here = latest.filter((group) => group.origins.has(originOf(step)))
  const { name } = step
  if (name !== undefined) {
    const named = here.find(({ names }) => names.has(name))
    return named ?? here.find(({ names, client }) => names.size === 0 && client === undefined)
  }
  if (!isChallenge(step)) return here.find(expectsMetadata) ?? here[0]
  return here.find((group) => !isPastChallenge(group, step)) ?? undefined
}

/** The latest group of an origin that is still finding the authorization server. */
function expectsMetadata(group: Group): boolean {
  const index = stageIndex(group)
  return index > 0 && index < STAGES.indexOf('registered')
}

/** A client that is challenged while another one has signed in from the same origin is a new one, or begins anew. */
function isPastChallenge(group: Group, step: TimelineStep): boolean {
  const isSignedIn = stageIndex(group) >= STAGES.indexOf('registered')
  return isSignedIn && !losesToken(progressOf(group.steps), step)
}
