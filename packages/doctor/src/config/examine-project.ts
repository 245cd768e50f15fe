/** `edgeway doctor --config`: examines a project before it is deployed. */
import { effectOn } from '../../../faults/src/fault.ts'
import { FAULTS } from '../../../faults/src/faults.ts'
import { printable } from '../../../text/src/terminal-text.ts'
import { CLIENTS, type Client } from '../doctor/clients.ts'
import { type Detected, detected } from '../doctor/detected.ts'
import { type ClientReport, findingOf } from '../doctor/walk.ts'
import { assets } from './checks/assets.ts'
import { compatibility } from './checks/compatibility.ts'
import { definitionFaults, lifetimeFaults } from './checks/definitions.ts'
import { handler } from './checks/handler.ts'
import { inheritance, withInherited } from './checks/inheritance.ts'
import { jurisdictions } from './checks/jurisdictions.ts'
import { migrations } from './checks/migrations.ts'
import { objects } from './checks/objects.ts'
import { oldForm } from './checks/old-form.ts'
import { isOriginMissing, origins } from './checks/origins.ts'
import { rateLimits } from './checks/rate-limits.ts'
import { secretFileFaults, secretVariables } from './checks/secrets.ts'
import { servers } from './checks/servers.ts'
import { workerLoaders } from './checks/worker-loaders.ts'
import type { Check, ProjectObservations } from './project-observations.ts'

export interface ProjectReport {
  /** The configuration file. */
  readonly config: string
  readonly notes: readonly string[]
  readonly clients: readonly ClientReport[]
}

export function examineProject(
  project: ProjectObservations,
  clients: readonly Client[] = CLIENTS,
): ProjectReport {
  const found = faultsOf(project)
  return {
    config: project.config,
    notes: notesOf(project, found),
    clients: clients.map((client) => reportFor(client, found)),
  }
}

const CHECKS: readonly Check[] = [
  compatibility,
  handler,
  servers,
  secretVariables,
  origins,
  rateLimits,
  workerLoaders,
  jurisdictions,
  assets,
]

/** Of a project that is not in the old form: one fault is enough for that. */
const OBJECT_CHECKS: readonly Check[] = [objects, migrations]

/** Each fault once, with the environments that have it. */
export function faultsOf(observed: ProjectObservations): readonly Detected[] {
  const project = withInherited(observed)
  const old = oldForm(project)
  const failure = old ?? project.failure
  const checks = old === undefined ? [...CHECKS, ...OBJECT_CHECKS] : CHECKS
  const everywhere = [
    ...(failure === undefined ? [] : [failure]),
    ...secretFileFaults(project),
    ...definitionFaults(project),
    ...lifetimeFaults(project),
  ]
  // The message of each fault, and the environments that have it.
  const found = new Map<Detected['code'], Map<string, (string | undefined)[]>>()
  const add = ({ code, message }: Detected, environment: string | undefined) => {
    const messages = found.get(code) ?? new Map<string, (string | undefined)[]>()
    found.set(code, messages.set(message, [...(messages.get(message) ?? []), environment]))
  }
  for (const fault of everywhere) add(fault, undefined)
  for (const [index, environment] of project.environments.entries()) {
    const original = observed.environments[index] ?? environment
    const faults = checks.flatMap((check) => check(environment, project))
    for (const fault of [...inheritance(original, observed), ...faults])
      add(fault, environment.name)
  }
  return [...found].map(([code, messages]) => {
    const texts = [...messages].map(([message, names]) => placed(message, names))
    return detected(code, texts.join('; '))
  })
}

/** Environments inherit most of the top level, so its faults are theirs. */
function placed(message: string, environments: readonly (string | undefined)[]): string {
  if (environments.includes(undefined)) return message
  return `In the environment ${environments.map((name) => printable(name ?? '')).join(', ')}: ${message}`
}

function reportFor(client: Client, all: readonly Detected[]): ClientReport {
  const found = all.filter(({ code }) => !isNarrowed(code, client))
  const findings = found.flatMap((fault) => findingOf(fault, client.name) ?? [])
  const isBroken = found.some(({ code }) => effectOn(FAULTS[code], client.name) === 'breaks')
  return {
    name: client.name,
    connects: !isBroken,
    findings,
    failsAt: isBroken ? 'is deployed' : undefined,
  }
}

/** Edgeway leaves such a schema out for the clients of older revisions. */
const isNarrowed = (code: Detected['code'], { startsModern }: Client) =>
  code === 'tool-output-not-object' && !startsModern

function notesOf(project: ProjectObservations, found: readonly Detected[]): string[] {
  const notes: string[] = []
  const [top] = project.environments
  const isReported = found.some(({ code }) => code === 'origin-missing')
  if (!isReported && isOriginMissing(top, project)) {
    notes.push('Set EDGEWAY_ORIGIN before the deployment. It is the origin that people paste.')
  }
  const { apps = [], sharedSecrets = [] } = project.worker ?? {}
  if (project.worker !== undefined && apps.length === 0) {
    notes.push(
      'The main module created no app when it was loaded, so its definition was not examined.',
    )
  }
  if (apps.some(({ tools }) => tools === undefined)) {
    notes.push(
      'The definition comes from a factory and depends on the caller. Examine it at the running server: edgeway doctor URL --token TOKEN.',
    )
  }
  if (sharedSecrets.length > 0) {
    const people = apps.some(({ auth }) => auth === undefined) ? 'know the URL' : 'sign in'
    const names = sharedSecrets.map((name) => printable(name)).join(', ')
    notes.push(
      `All who ${people} act with the secret ${names} at the API. For a credential of each person, pass a function as the option auth of fromOpenAPI.`,
    )
  }
  return notes
}
