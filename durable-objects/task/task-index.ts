/**
 * The tasks of each subject. An object of the kind `principals` lists them, because objects cannot be listed, and
 * bounds how many each principal has. Tasks of anonymous callers are counted by network, and listed for
 * no one. Inboxes are counted in lists of their own, which are read by no one.
 */
import { LOCAL_NETWORK } from '../../src/platform/client-network.ts'
import { sha256Base64Url } from '../../src/platform/digest.ts'
import type { CallsOf, ObjectsOfKind } from '../../src/ports/objects.ts'
import type { InboxHolder, TaskPosition } from '../../src/ports/tasks.ts'
import type { AuthInfo } from '../../src/protocol/auth-info.ts'
import { principalDigest } from '../../src/protocol/principal.ts'
import type { PrincipalsObject } from '../keyring/principals-object.ts'
import { shardOf } from '../keyring/shards.ts'
import { type CallByName, callerOf } from '../object-call.ts'

type Lists = Pick<PrincipalsObject, 'enterTask' | 'freeTask' | 'leaveTask' | 'listTasks'>

/** Who starts a task, or a call that waits for an event. */
export type TaskOwner = InboxHolder

/** A task of an owner. */
export interface EnteredTask extends TaskPosition {
  /** The digest of its subject or network. */
  readonly owner: string
  readonly auth: AuthInfo | undefined
  readonly expiresAt: number
}

/** The digest of a subject, which names it in the shard. */
const subjectOwner = (subject: string): Promise<string> =>
  sha256Base64Url(JSON.stringify([subject]))

/** The digest of a network. It differs from that of every subject. */
const networkOwner = (network: string): Promise<string> =>
  sha256Base64Url(JSON.stringify(['network', network]))

/** The digest under which the inboxes of an owner are counted. It differs from that of every subject and network. */
const inboxOwner = (owner: string): Promise<string> =>
  sha256Base64Url(JSON.stringify(['inbox', owner]))

export class TaskIndex {
  /** Undefined without the binding of the objects. */
  readonly #call: CallByName<CallsOf<Lists>> | undefined
  readonly #server: string

  /**
   * @param shards undefined without their binding: tasks are then neither listed nor counted
   * @param server the audience of the server whose tasks these are
   */
  constructor(shards: ObjectsOfKind<Lists> | undefined, server: string) {
    this.#call = shards && callerOf(shards)
    this.#server = server
  }

  /** The digest under which the tasks of a caller are listed and counted; undefined when they are not. */
  async ownerOf({ auth, network }: TaskOwner): Promise<string | undefined> {
    if (this.#call === undefined) return undefined
    if (auth !== undefined) return subjectOwner(auth.subject)
    return network === LOCAL_NETWORK ? undefined : networkOwner(network)
  }

  /**
   * Adds a task before it is created, so that every task is in the list. It leaves the list when it has
   * expired. False when its principal, or without one its network, has reached the limit.
   */
  async enter({ owner, auth, ...task }: EnteredTask, limit: number): Promise<boolean> {
    const call = this.#call
    if (call === undefined) return true
    const principal = auth === undefined ? owner : await principalDigest(auth)
    const row = { owner, principal, ...task, server: this.#server }
    return call(shardOf(owner), (shard) => shard.enterTask(row, limit))
  }

  /** Frees the place of a task that was cancelled. It stays in the list until it expires. */
  async free(owner: string, name: string): Promise<void> {
    await this.#call?.(shardOf(owner), (shard) => shard.freeTask(owner, name))
  }

  /** Counts the inbox of a call; false at the limit. It stays counted until it is freed, or has expired. */
  async enterInbox(
    holder: InboxHolder,
    name: string,
    expiresAt: number,
    limit: number,
  ): Promise<boolean> {
    const owner = await this.ownerOf(holder)
    if (owner === undefined) return true
    const task = { name, createdAt: Date.now(), expiresAt, auth: holder.auth }
    return this.enter({ ...task, owner: await inboxOwner(owner) }, limit)
  }

  /** Frees the place of an inbox whose call has ended. */
  async freeInbox(holder: InboxHolder, name: string): Promise<void> {
    const owner = await this.ownerOf(holder)
    if (owner !== undefined) await this.free(await inboxOwner(owner), name)
  }

  /** Removes a task of a subject that was deleted before it expires. */
  async leaveSubject(subject: string, name: string): Promise<void> {
    const owner = await subjectOwner(subject)
    await this.#call?.(shardOf(owner), (shard) => shard.leaveTask(owner, name))
  }

  /**
   * The tasks of a subject, newest first.
   *
   * @param principal restricts them to those of one principal
   * @param after the last task of the page before
   */
  async list(
    subject: string,
    principal: string | undefined,
    after: TaskPosition | undefined,
    limit: number,
  ): Promise<readonly TaskPosition[]> {
    const owner = await subjectOwner(subject)
    const listed = await this.#call?.(shardOf(owner), (shard) =>
      shard.listTasks(owner, principal, after, limit, this.#server),
    )
    return listed ?? []
  }
}
