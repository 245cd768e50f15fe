/** Implements `edgeway.admin(env)`. Every operation may be repeated: what has ended or is deleted stays so. */

import { OperationError } from '../../../../../src/index.ts'
import type { AccessControl } from '../../../../../src/ports/access-control.ts'
import type { EndedAccess } from '../../../../../src/ports/accounts.ts'
import type { CheckHealth } from '../../../../../src/ports/health.ts'
import type { KeyringControl } from '../../../../../src/ports/keyring-control.ts'
import { principalDigests } from '../../../../../src/protocol/principal.ts'
import { deletePerson, endRuns } from './person.ts'
import {
  type PersonSources,
  readGrants,
  readPrincipals,
  readSessions,
  readTasks,
} from './person-index.ts'
import {
  type AdminGrant,
  type AdminHealth,
  type AdminSession,
  type AdminSubscription,
  type AdminTask,
  type KeyRotation,
  type PersonData,
  type PrincipalPlace,
  type RevocationResult,
  viewHealth,
  viewSession,
  viewSubscription,
  viewTask,
} from './views.ts'

/**
 * What an operator does. No caller is checked: the author's code calls it. Operations on grants need
 * `embedded()`, and throw an {@link OperationError} without it.
 */
export interface Admin {
  /** Calls an object of each class. */
  health(): Promise<AdminHealth>
  /**
   * Creates new keys for sealing and signing, which come into use a day later. `discard` replaces all keys at
   * once instead, for keys that have leaked: what they sealed and signed is invalid, in every isolate within an
   * hour, and at once in isolates that start afterwards.
   */
  rotateKeys(options?: { readonly discard?: boolean }): Promise<KeyRotation>
  /** Ends every access and refresh token, personal access token, sign-in, session, stream and run of everyone. */
  revokeEveryone(): Promise<RevocationResult>
  /** Ends the grants of one client with everyone. @throws {OperationError} above 100 clients */
  revokeClient(clientId: string): Promise<RevocationResult>
  /** Ends every grant, personal access token, consent, sign-in, session, event subscription and task of one person. */
  revokePerson(subject: string, places?: readonly PrincipalPlace[]): Promise<PersonData>
  /** The grants and personal access tokens of a person. */
  grants(subject: string): Promise<readonly AdminGrant[]>
  /** False when the person has no such grant or token. */
  revokeGrant(subject: string, grantId: string): Promise<boolean>
  /** The sessions of a person that store rows. */
  sessions(subject: string, places?: readonly PrincipalPlace[]): Promise<readonly AdminSession[]>
  /** False when the person has no such session. */
  endSession(subject: string, name: string, places?: readonly PrincipalPlace[]): Promise<boolean>
  /** The event subscriptions by webhook of a person. */
  subscriptions(
    subject: string,
    places?: readonly PrincipalPlace[],
  ): Promise<readonly AdminSubscription[]>
  /**
   * Ends a subscription, or all of a person: nothing is delivered any more, and each client is sent `terminated`. Returns
   * how many have ended.
   */
  endSubscriptions(
    subject: string,
    id?: string,
    places?: readonly PrincipalPlace[],
  ): Promise<number>
  /** The tasks of a person at every resource, newest first. */
  tasks(subject: string): Promise<readonly AdminTask[]>
  /** Cancels a task. False when there is no such task. */
  endTask(taskId: string): Promise<boolean>
  /**
   * Ends all access of a person, and deletes what is stored about it. A call that was interrupted is repeated.
   */
  deletePerson(subject: string, places?: readonly PrincipalPlace[]): Promise<PersonData>
}

export interface AdminContext extends PersonSources {
  readonly checkHealth: CheckHealth
  /** Cancels a task by its id. False when there is no such task. */
  readonly cancelTask: (taskId: string) => Promise<boolean>
  /** The author's own step of the deletion of a person. */
  readonly onDeletePerson: ((subject: string, env: unknown) => unknown) | undefined
}

/** Tasks that are listed. */
const MAX_TASKS = 100

const NO_ACCESS: EndedAccess = { grants: 0, personalTokens: 0, consents: 0 }

export function createAdmin(context: AdminContext): Admin {
  const { services, access, env, onDeletePerson } = context
  const keyring = (): KeyringControl => {
    const bound = services.keyring()
    if (bound === undefined)
      throw new OperationError('no-binding', 'This needs the binding MCP_OBJECTS')
    return bound
  }
  const grants = (): AccessControl => {
    if (access === undefined) {
      throw new OperationError(
        'issues-no-tokens',
        'This server issues no tokens. Revoke them where they are issued',
      )
    }
    return access
  }
  const revoke = async (clientId: string | undefined): Promise<RevocationResult> => {
    const control = grants()
    const validFrom = await keyring().revoke(clientId)
    if (validFrom === undefined) {
      throw new OperationError(
        'too-many',
        '100 clients are revoked already. Revoke everyone instead',
      )
    }
    await control.revoked(env)
    return { validFrom }
  }
  const principalsOf = async (subject: string, places?: readonly PrincipalPlace[]) =>
    principalDigests(await readPrincipals(context, textOf('subject', subject), places))
  const sessionsOf = async (subject: string, places?: readonly PrincipalPlace[]) => {
    // Without the keyring there is no list.
    keyring()
    return (await readSessions(context, textOf('subject', subject), places)) ?? []
  }
  return {
    health: async () => viewHealth(await context.checkHealth(env)),
    async rotateKeys({ discard = false } = {}) {
      const { seal, signing } = await keyring().replaceKeys(discard ? 'discard' : 'publish')
      if (discard) await access?.revoked(env)
      return { sealFrom: seal, signFrom: signing }
    },
    revokeEveryone: () => revoke(undefined),
    revokeClient: (clientId) => revoke(textOf('client', clientId)),
    async revokePerson(subject, places) {
      const person = textOf('subject', subject)
      const principals = await readPrincipals(context, person, places)
      const ended = (await access?.endAccess(person, false, env)) ?? NO_ACCESS
      return { ...ended, ...(await endRuns(services, person, principals)), states: 0 }
    },
    async grants(subject) {
      grants()
      return (await readGrants(context, textOf('subject', subject))) ?? []
    },
    revokeGrant: async (subject, grantId) =>
      grants().revokeGrant(textOf('subject', subject), textOf('grant', grantId), env),
    async sessions(subject, places) {
      return (await sessionsOf(subject, places)).map(viewSession)
    },
    async endSession(subject, name, places) {
      const session = (await sessionsOf(subject, places)).find((one) => one.name === name)
      if (session === undefined) return false
      return (await services.sessions()?.terminate(session)) ?? false
    },
    async subscriptions(subject, places) {
      const principals = await principalsOf(subject, places)
      return ((await services.subscriptions()?.list(principals)) ?? []).map(viewSubscription)
    },
    async endSubscriptions(subject, id, places) {
      const principals = await principalsOf(subject, places)
      return (await services.subscriptions()?.end(principals, 'ended_by_operator', { id })) ?? 0
    },
    async tasks(subject) {
      const tasks = await readTasks(context, textOf('subject', subject), MAX_TASKS)
      return (tasks ?? []).map(({ task }) => viewTask(task))
    },
    endTask: (taskId) => context.cancelTask(textOf('task', taskId)),
    async deletePerson(subject, places) {
      const person = textOf('subject', subject)
      const principals = await readPrincipals(context, person, places)
      const endAccess = async () => (await access?.endAccess(person, true, env)) ?? NO_ACCESS
      const deleted = await deletePerson(services, person, principals, endAccess)
      await onDeletePerson?.(person, env)
      return deleted
    },
  }
}

const MAX_LENGTH = 8192

/** @throws {OperationError} for a value that is not a text, is empty, or is longer than any id */
function textOf(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '' && value.length <= MAX_LENGTH) return value
  throw new OperationError(
    'invalid-argument',
    `${name} must be a text of 1 to ${MAX_LENGTH} characters`,
  )
}
