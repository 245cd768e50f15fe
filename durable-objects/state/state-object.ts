/** The state object: the entries and files of one principal, or of the anonymous callers of one network. */
import type { NewFile } from '../../src/ports/files.ts'
import type { EntryWrite, EntryWritten } from '../../src/ports/state-store.ts'
import { EarliestAlarm } from '../earliest-alarm.ts'
import { Entries } from '../entries/entries.ts'
import { ObjectPart } from '../object-part.ts'
import { Tables } from '../tables.ts'
import type { FileBucket } from './file-bucket.ts'
import {
  type FileBegun,
  type FileCompleted,
  type FilePlace,
  Files,
  type PlacedFile,
} from './files.ts'
import { createStateStatements, MIGRATIONS } from './schema.ts'

/** Expired rows are deleted in batches, by at most one alarm per minute. */
const PURGE_DELAY_MS = 60_000

/** Time to the next attempt to delete bytes from a bucket that could not be reached. */
const RETRY_MS = 60 * 60 * 1000

/**
 * The entries and files of one owner.
 *
 * Layout: one row per entry and per file; the bytes of a file are an object of the bucket, or rows.
 * Lifetime: the first write creates the tables, an alarm deletes what has expired, and with the last row
 * the storage is dropped. Trade-off: one object per principal counts its entries and files without asking
 * another one; in return its operations are one after the other.
 */
export class StateObject extends ObjectPart {
  readonly #tables = new Tables(this.ctx.storage, MIGRATIONS, createStateStatements)
  readonly #entries = new Entries(this.#tables)
  readonly #files = new Files(this.#tables)
  readonly #alarm = new EarliestAlarm(this.ctx, this.#tables.existing !== undefined)

  async read(name: string): Promise<string | undefined> {
    return this.#entries.read(name)
  }

  async write(name: string, write: EntryWrite): Promise<EntryWritten> {
    const written = this.#entries.write(name, write)
    if (written === 'written') this.#schedule()
    return written
  }

  async delete(name: string, operation: string): Promise<boolean> {
    const deleted = this.#entries.delete(name, operation)
    if (deleted) this.#schedule()
    return deleted
  }

  async findFile(id: string): Promise<PlacedFile | undefined> {
    return this.#files.find(id)
  }

  async closeUpload(id: string, until: number): Promise<void> {
    this.#files.close(id, until)
    this.#schedule()
  }

  async beginFile(file: NewFile, place: FilePlace): Promise<FileBegun> {
    const begun = this.#files.begin(file, place)
    this.#schedule()
    return begun
  }

  async completeFile(blob: string, size: number, file: NewFile): Promise<FileCompleted> {
    const completed = this.#files.complete(blob, size, file)
    this.#schedule()
    return completed
  }

  async dropFile(blob: string): Promise<void> {
    this.#files.drop(blob)
    this.#schedule()
  }

  async setUpload(blob: string, upload: string): Promise<void> {
    this.#files.setUpload(blob, upload)
  }

  async addChunk(blob: string, number: number, bytes: ArrayBuffer): Promise<boolean> {
    return this.#files.addChunk(blob, number, bytes)
  }

  async readChunk(blob: string, number: number): Promise<ArrayBuffer | undefined> {
    return this.#files.chunk(blob, number)
  }

  /**
   * Deletes all entries and files. False when there were none. A file that is being stored is never
   * complete, and its bytes are deleted when its attempt must have ended.
   *
   * @throws {Error} when the bucket cannot be reached: its bytes remain until the deletion is repeated
   */
  async erase(): Promise<boolean> {
    const { existing } = this.#tables
    if (existing === undefined) return false
    const hadAny = !this.#entries.isEmpty || !this.#files.isEmpty
    existing.deleteEntries()
    const isDeleted = await this.#files.erase(this.#bucket)
    this.#schedule()
    await this.#dropIfUnused()
    if (!isDeleted) throw new Error('The bucket of files cannot be reached')
    return hadAny
  }

  async alarm(): Promise<void> {
    this.#alarm.reset()
    this.#tables.existing?.deleteExpired(Date.now())
    const isDeleted = await this.#files.deleteExpired(this.#bucket)
    this.#schedule(isDeleted ? PURGE_DELAY_MS : RETRY_MS)
    await this.#dropIfUnused()
  }

  get #bucket(): FileBucket | undefined {
    return (this.env as { readonly MCP_FILES?: FileBucket }).MCP_FILES
  }

  async #dropIfUnused(): Promise<void> {
    const isUnused = () => this.#tables.existing?.countRows() === 0 && this.#files.isEmpty
    await this.#tables.dropIfUnused(this.ctx, this.#alarm, isUnused)
  }

  #schedule(delayMs = PURGE_DELAY_MS): void {
    const { existing } = this.#tables
    const expiries = [existing?.nextExpiry(), existing?.nextFileExpiry()]
    const expiry = Math.min(...expiries.map((at) => at ?? Number.POSITIVE_INFINITY))
    if (expiry === Number.POSITIVE_INFINITY) return
    this.#alarm.wakeAt(Math.max(expiry, Date.now()) + delayMs)
  }
}
