/** What the admin API returns. The same shapes are JSON at `POST /admin`, so members are only ever added. */

import type { GrantSummary } from '../../../../../src/ports/grant.ts'
import type { Health } from '../../../../../src/ports/health.ts'
import type { SessionPosition } from '../../../../../src/ports/keyring-control.ts'
import type { SubscriptionView } from '../../../../../src/ports/subscriptions.ts'
import type { TaskSnapshot } from '../../../../../src/ports/tasks.ts'
import type { TaskStatus } from '../../../../../src/protocol/tasks.ts'

/** Times are epoch milliseconds. */
export interface RevocationResult {
  /** What was issued before this time has ended, so people can sign in again from then on. */
  readonly validFrom: number
}

export interface KeyRotation {
  /** From when on the newest keys seal and sign. Undefined for keys that do not exist, or are in the environment. */
  readonly sealFrom: number | undefined
  readonly signFrom: number | undefined
}

/** Whether the objects of a deployment answer. */
export interface AdminHealth {
  /** `ok` when every bound object answers. */
  readonly status: 'ok' | 'failing'
  /** One entry for each binding that is present. */
  readonly parts: {
    readonly keyring?: 'ok' | 'failing'
    readonly account?: 'ok' | 'failing'
    readonly hub?: 'ok' | 'failing'
    readonly state?: 'ok' | 'failing'
  }
}

/** A grant or a personal access token of a person. Times are epoch milliseconds. */
export interface AdminGrant {
  /** Names the grant in `revokeGrant`. */
  readonly grantId: string
  /** Of a personal access token, `name` is what the person has called it. */
  readonly client: {
    readonly id: string
    readonly name?: string
    /** Its web site, or the host of its metadata document. */
    readonly uri?: string
  }
  readonly resource: string
  readonly scopes: readonly string[]
  readonly createdAt: number
  /** Accurate to one minute; the creation before the first use. */
  readonly lastUsedAt: number
  /** Only of a personal access token. */
  readonly personalToken?: { readonly expiresAt: number; readonly isUsed: boolean }
}

/** A session that stores rows. Times are epoch milliseconds. */
export interface AdminSession {
  /** Names the session in `endSession`. It is not the session id, and no client can use the session with it. */
  readonly name: string
  /** When the session was last counted as used: once per stay of its object in memory. */
  readonly usedAt: number
  readonly expiresAt: number
}

/** A task of a person, without its result. */
export interface AdminTask {
  readonly taskId: string
  readonly status: TaskStatus
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** An event subscription by webhook, without its arguments. Times are epoch milliseconds. */
export interface AdminSubscription {
  /** Names the subscription in `endSubscriptions`. */
  readonly subscriptionId: string
  readonly type: string
  /** The origin of the callback. */
  readonly callback: string
  readonly client?: string | undefined
  /** `reserved` until its callback is verified; `suspended` while deliveries fail. */
  readonly state: 'reserved' | 'active' | 'suspended'
  readonly createdAt: number
  /** Absent: it does not expire. */
  readonly expiresAt?: number | undefined
  readonly lastDeliveryAt?: number | undefined
  readonly lastError?: string | undefined
  /** Events that wait for their delivery. */
  readonly pending: number
}

/** How many of each have ended or were deleted by this call. */
export interface PersonData {
  readonly grants: number
  readonly personalTokens: number
  readonly consents: number
  readonly sessions: number
  /** Event subscriptions by webhook. */
  readonly subscriptions: number
  readonly tasks: number
  /** Objects with state and files. */
  readonly states: number
  /** Tasks whose job must be cancelled before they can be deleted: repeat the operation after ten minutes. */
  readonly tasksLeft: number
}

/** Where a person has sessions, state and tasks, if this server issues no tokens and cannot know it. */
export interface PrincipalPlace {
  /** The issuer of the tokens, or the `issuer` that your function names. */
  readonly issuer: string
  /** The URL of the endpoint. */
  readonly resource: string
}

export const viewHealth = ({ status, parts }: Health): AdminHealth => ({ status, parts })

export function viewGrant(grant: GrantSummary): AdminGrant {
  const { grantId, client, resource, scopes, createdAt, lastUsedAt, personalToken } = grant
  const { id, name, uri } = client
  return {
    grantId,
    client: { id, ...(name !== undefined && { name }), ...(uri !== undefined && { uri }) },
    resource,
    scopes,
    createdAt,
    lastUsedAt,
    ...(personalToken && {
      personalToken: { expiresAt: personalToken.expiresAt, isUsed: personalToken.isUsed },
    }),
  }
}

export const viewSession = ({ name, usedAt, expiresAt }: SessionPosition): AdminSession => ({
  name,
  usedAt,
  expiresAt,
})

export function viewSubscription(subscription: SubscriptionView): AdminSubscription {
  const { arguments: _, id: subscriptionId, clientId: client, expiresAt, ...shown } = subscription
  return { subscriptionId, ...shown, client, expiresAt: expiresAt ?? undefined }
}

export const viewTask = ({ taskId, status, createdAt }: TaskSnapshot): AdminTask => ({
  taskId,
  status,
  createdAt,
})
