/** The Durable Object of one notebook: a surface for RPC over the plain parts beside it. */
import { DurableObject } from 'cloudflare:workers'
import type { BinnedNote, Note, NoteInfo, NoteList, Page, SearchPage, TagCount } from '../note.ts'
import { NotebookError, type Outcome } from '../outcome.ts'
import { Bin } from './bin.ts'
import {
  type Duplicates,
  type ImportDraft,
  type Imported,
  importNote,
  takenTitles,
} from './import.ts'
import { type CursorPage, Listing, type ListRequest } from './listing.ts'
import { type NoteDraft, Notes, type TagChange, type Written } from './notes.ts'
import { migrate } from './schema.ts'
import { notesAbout, type SearchRequest, searchNotes } from './search.ts'
import { createStatements, type Statements } from './statements.ts'

/**
 * One person's notebook.
 *
 * Layout: a row per note, two indexes kept by triggers (full text, tags), and the bin. Lifetime:
 * notes stay until they are deleted, and deleted ones for 30 days; one alarm, at the next expiry,
 * clears them away, and an empty bin has no alarm. Nothing is held in memory between calls, so the
 * object costs nothing while nobody calls. Trade-off: one object takes all of a person's calls, one
 * after another, which makes revisions and appends exact; it would not do for a crowd.
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

  write(draft: NoteDraft): Outcome<Written> {
    return this.#answer(() => this.#notes.write(draft))
  }

  append(id: string, text: string): Outcome<NoteInfo> {
    return this.#answer(() => this.#notes.append(id, text))
  }

  retag(id: string, change: TagChange): Outcome<NoteInfo> {
    return this.#answer(() => this.#notes.retag(id, change))
  }

  /** Some notes of an import, in order; the caller sends the rest in further calls. */
  import(drafts: readonly ImportDraft[], duplicates: Duplicates): Imported[] {
    return this.ctx.storage.transactionSync(() =>
      drafts.map((draft) => importNote(this.#notes, draft, duplicates)),
    )
  }

  /** Those of some titles that notes have already. */
  taken(titles: readonly string[]): string[] {
    return takenTitles(this.#notes, titles)
  }

  async delete(id: string, revision?: number): Promise<Outcome<BinnedNote>> {
    const outcome = this.#answer(() => this.#bin.put(id, revision))
    await this.#schedulePurge()
    return outcome
  }

  async restore(id: string): Promise<Outcome<NoteInfo>> {
    const outcome = this.#answer(() => this.#bin.restore(id))
    await this.#schedulePurge()
    return outcome
  }

  read(id: string): Outcome<Note> {
    return this.#answer(() => this.#notes.read(id))
  }

  search(request: SearchRequest): Outcome<SearchPage> {
    return this.#answer(() => searchNotes(this.#statements, request))
  }

  about(topic: string, limit: number): Note[] {
    return notesAbout(this.#statements, topic, limit)
  }

  list(request: ListRequest): Outcome<NoteList> {
    return this.#answer(() => this.#listing.list(request))
  }

  listBin(page: Page): NoteList<BinnedNote> {
    return this.#bin.list(page)
  }

  /** All notes by recency, a page at a time. */
  page(cursor: string | undefined, limit: number): CursorPage {
    return this.#listing.page(cursor, limit)
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

  /** Does all of the work or none of it, and turns a refusal into a value. */
  #answer<T>(work: () => T): Outcome<T> {
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
