/** The Durable Object of one notebook: RPC methods that delegate to the classes and functions in this folder. */
import { DurableObject } from 'cloudflare:workers'
import {
  type BinnedNote,
  type Note,
  NotebookError,
  type NoteInfo,
  type NoteList,
  type Outcome,
  type Page,
  type SearchPage,
  type TagCount,
} from '../note.ts'
import {
  type BatchRequest,
  type CursorPage,
  Listing,
  type ListRequest,
  type NoteBatch,
  notesAbout,
  type SearchRequest,
  searchNotes,
} from './find.ts'
import {
  Bin,
  type Duplicates,
  existingTitles,
  type ImportDraft,
  type ImportResult,
  importNote,
  type NoteDraft,
  Notes,
  type TagChange,
  type WriteResult,
} from './notes.ts'
import { migrate } from './schema.ts'
import { createStatements, type Statements } from './statements.ts'

/**
 * The notebook of one subject.
 *
 * Storage: one row per note, two indexes maintained by triggers (full text and tags), and the bin.
 * Lifetime: a note stays until it is deleted, and a deleted note expires after 30 days. One alarm at
 * the next expiry purges the bin; an empty bin has no alarm. The object keeps no state in memory
 * between calls, so it hibernates without losing data. Trade-off: one object serves all calls of a
 * subject sequentially. Revisions and appends are therefore consistent, and the throughput is that
 * of a single object.
 */
export class Notebook extends DurableObject {
  readonly #statements: Statements
  readonly #notes: Notes
  readonly #bin: Bin
  readonly #listing: Listing

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    migrate(ctx.storage)
    const now = () => Date.now()
    this.#statements = createStatements(ctx.storage.sql)
    this.#notes = new Notes(this.#statements, now)
    this.#bin = new Bin(this.#statements, this.#notes, now)
    this.#listing = new Listing(this.#statements)
  }

  write(draft: NoteDraft): Outcome<WriteResult> {
    return this.#run(() => this.#notes.write(draft))
  }

  append(id: string, text: string): Outcome<NoteInfo> {
    return this.#run(() => this.#notes.append(id, text))
  }

  retag(id: string, change: TagChange): Outcome<NoteInfo> {
    return this.#run(() => this.#notes.retag(id, change))
  }

  /** Imports one batch of notes in order. The caller sends an import as several batches. */
  import(drafts: readonly ImportDraft[], duplicates: Duplicates): ImportResult[] {
    return this.ctx.storage.transactionSync(() =>
      drafts.map((draft) => importNote(this.#notes, draft, duplicates)),
    )
  }

  /** Returns the titles that notes already have. */
  existingTitles(titles: readonly string[]): string[] {
    return existingTitles(this.#notes, titles)
  }

  async delete(id: string, revision?: number): Promise<Outcome<BinnedNote>> {
    const outcome = this.#run(() => this.#bin.put(id, revision))
    await this.#schedulePurge()
    return outcome
  }

  async restore(id: string): Promise<Outcome<NoteInfo>> {
    const outcome = this.#run(() => this.#bin.restore(id))
    await this.#schedulePurge()
    return outcome
  }

  read(id: string): Outcome<Note> {
    return this.#run(() => this.#notes.read(id))
  }

  search(request: SearchRequest): Outcome<SearchPage> {
    return this.#run(() => searchNotes(this.#statements, request))
  }

  about(topic: string, limit: number): Note[] {
    return notesAbout(this.#statements, topic, limit)
  }

  list(request: ListRequest): Outcome<NoteList> {
    return this.#run(() => this.#listing.list(request))
  }

  listBin(page: Page): NoteList<BinnedNote> {
    return this.#bin.list(page)
  }

  /** Returns one page of all notes, sorted by recency. */
  page(cursor: string | undefined, limit: number): CursorPage {
    return this.#listing.page(cursor, limit)
  }

  batch(request: BatchRequest): Outcome<NoteBatch> {
    return this.#run(() => this.#listing.batch(request))
  }

  since(time: number, limit: number): NoteList<Note> {
    return this.#listing.since(time, limit)
  }

  startingWith(prefix: string, limit: number): NoteInfo[] {
    return this.#listing.startingWith(prefix, limit)
  }

  tags(): TagCount[] {
    return this.#listing.tags()
  }

  override async alarm(): Promise<void> {
    this.#bin.purge()
    await this.#schedulePurge()
  }

  /** Runs the work in a transaction and returns a `NotebookError` as a value. */
  #run<T>(work: () => T): Outcome<T> {
    try {
      return { ok: true, value: this.ctx.storage.transactionSync(work) }
    } catch (error) {
      if (error instanceof NotebookError) return { ok: false, error: error.fault }
      throw error
    }
  }

  async #schedulePurge(): Promise<void> {
    const next = this.#bin.nextPurge()
    await (next === undefined ? this.ctx.storage.deleteAlarm() : this.ctx.storage.setAlarm(next))
  }
}
