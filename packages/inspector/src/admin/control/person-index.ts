/** Finds what is stored about a person through the indexes per subject, for the admin API and the inspector. */
import type { AccessControl } from '../../../../../src/ports/access-control.ts'
import type { KeyringControl, SessionPosition } from '../../../../../src/ports/keyring-control.ts'
import type { Services } from '../../../../../src/ports/services.ts'
import type { TaskSnapshot } from '../../../../../src/ports/tasks.ts'
import { type Principal, personDigest } from '../../../../../src/protocol/principal.ts'
import { type AdminGrant, type PrincipalPlace, viewGrant } from './views.ts'

export interface PersonSources {
  readonly services: Services
  /** Undefined where this server issues no tokens. */
  readonly access: AccessControl | undefined
  readonly env: unknown
}

export interface IndexedTask {
  readonly name: string
  readonly task: TaskSnapshot
}

/** The principals of a person: at the places that the caller knows, and those of its grants. */
export async function readPrincipals(
  { access, env }: PersonSources,
  subject: string,
  places: readonly PrincipalPlace[] = [],
): Promise<readonly Principal[]> {
  const named = places.map(({ issuer, resource }) => ({ issuer, subject, resource }))
  return [...named, ...((await access?.principalsOf(subject, env)) ?? [])]
}

/** The sessions of a person that store rows. Undefined without the keyring, which lists them. */
export async function readSessions(
  sources: PersonSources,
  subject: string,
  places?: readonly PrincipalPlace[],
): Promise<readonly SessionPosition[] | undefined> {
  const keyring = sources.services.keyring()
  if (keyring === undefined) return undefined
  return sessionsOf(keyring, await readPrincipals(sources, subject, places))
}

async function sessionsOf(
  keyring: KeyringControl,
  principals: readonly Principal[],
): Promise<readonly SessionPosition[]> {
  const lists = (await sessionListsOf(principals)).map((list) => keyring.listSessions(list))
  const found = (await Promise.all(lists)).flat()
  return [...new Map(found.map((session) => [session.name, session])).values()]
}

/** The digests under which the sessions of people are listed. */
export async function sessionListsOf(principals: readonly Principal[]): Promise<readonly string[]> {
  return [...new Set(await Promise.all(principals.map(personDigest)))]
}

/** The newest tasks of a person. Undefined where no tasks are served. */
export async function readTasks(
  { services }: PersonSources,
  subject: string,
  limit: number,
): Promise<readonly IndexedTask[] | undefined> {
  const tasks = services.tasks()
  if (tasks === undefined) return undefined
  const positions = await tasks.list(subject, undefined, undefined, limit)
  const found = await Promise.all(
    positions.map(async ({ name }) => ({ name, task: await tasks.read(name) })),
  )
  return found.flatMap(({ name, task }) => (task === undefined ? [] : [{ name, task }]))
}

/** Undefined where this server issues no tokens. */
export async function readGrants(
  { access, env }: PersonSources,
  subject: string,
): Promise<readonly AdminGrant[] | undefined> {
  return (await access?.grantsOf(subject, env))?.map(viewGrant)
}
