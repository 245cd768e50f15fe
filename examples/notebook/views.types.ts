// Written by `edgeway views types`. Change the definitions of the tools instead.

/** `connectView<Tools, 'the_tool_of_the_view'>({ name })` */
export interface Tools {
  append_to_note: {
    readonly arguments: { /** Id of the note, as search_notes and list_notes give it, such as "trip-to-lisbon" */ id: string; /** Markdown to add */ text: string }
    readonly result: { id: string; /** The note as a resource */ uri: string; title: string; tags: string[]; /** Grows with every change; write_note takes it as expectedRevision */ revision: number; createdAt: string; updatedAt: string; /** Length of the body */ characters: number }
  }
  delete_note: {
    readonly arguments: { /** Id of the note, as search_notes and list_notes give it, such as "trip-to-lisbon" */ id: string }
    readonly result: { id: string; title: string; /** false: the user did not agree, and the note is unchanged */ deleted: boolean; /** Whether the user was asked */ asked: boolean; restorableUntil?: string }
  }
  export_notes: {
    readonly arguments: { /** Only notes that have all of these tags */ tags?: string[] }
    readonly result: { name: string; /** Bytes */ size: number; /** Downloads the document for every program that has the URL */ url: string; /** When the document is deleted */ expiresAt: string }
  }
  import_notes: {
    readonly arguments: { /** Notes to import */ notes?: { /** Title on one line. No two notes have the same one */ title: string; /** Markdown, without the title */ body: string; /** Tags: letters and digits of any script, with - _ . and / inside, such as "recipes" or "work/hiring" */ tags?: string[] }[]; /** Or a Markdown document: every "# " heading begins a note and is its title */ markdown?: string; /** Tags to put on every imported note. Left out, the user is asked where possible */ tags?: string[]; /** When a note of that title exists: leave it, replace its text, or add a numbered copy. Left out, the user is asked where … */ duplicates?: "skip" | "replace" | "copy" }
    readonly result: { /** Ids */ created: string[]; /** Ids */ replaced: string[]; /** Ids of notes that were there, and were left */ skipped: string[]; refused: { title: string; reason: string }[] }
  }
  list_notes: {
    readonly arguments: { /** "bin": what was deleted and can be restored; tags do not apply there */ place?: "notebook" | "bin"; /** Only notes that have all of these tags */ tags?: string[]; /** Most notes to return */ limit?: number; /** How many to pass over: nextOffset of the answer before, for the next page */ offset?: number }
    readonly result: { total: number; notes: { id: string; /** The note as a resource */ uri: string; title: string; tags: string[]; /** Grows with every change; write_note takes it as expectedRevision */ revision: number; createdAt: string; updatedAt: string; /** Length of the body */ characters: number; /** When a deleted note is gone for good */ expiresAt?: string }[]; /** Pass as offset for more; absent at the end */ nextOffset?: number }
  }
  read_note: {
    readonly arguments: { /** Id of the note, as search_notes and list_notes give it, such as "trip-to-lisbon" */ id: string; /** Character to start at: nextStart of the answer before, for the next part */ start?: number }
    readonly result: { id: string; /** The note as a resource */ uri: string; title: string; tags: string[]; /** Grows with every change; write_note takes it as expectedRevision */ revision: number; createdAt: string; updatedAt: string; /** Length of the body */ characters: number; /** Pass as start for more; absent at the end */ nextStart?: number }
  }
  restore_note: {
    readonly arguments: { /** Id the note had; list_notes with place "bin" shows those there are */ id: string }
    readonly result: { id: string; /** The note as a resource */ uri: string; title: string; tags: string[]; /** Grows with every change; write_note takes it as expectedRevision */ revision: number; createdAt: string; updatedAt: string; /** Length of the body */ characters: number }
  }
  search_notes: {
    readonly arguments: { /** A few telling words, such as: lisbon hotel "late checkout" */ query: string; /** Only notes that have all of these tags */ tags?: string[]; /** Most notes to return */ limit?: number; /** How many to pass over: nextOffset of the answer before, for the next page */ offset?: number }
    readonly result: { /** How many notes match in all */ total: number; /** "any": no note holds every word, so these hold at least one */ matched: "all" | "any"; results: { id: string; /** The note as a resource */ uri: string; title: string; tags: string[]; /** Grows with every change; write_note takes it as expectedRevision */ revision: number; createdAt: string; updatedAt: string; /** Length of the body */ characters: number; snippet: string }[]; /** Pass as offset for more; absent at the end */ nextOffset?: number }
  }
  tag_note: {
    readonly arguments: { /** Id of the note, as search_notes and list_notes give it, such as "trip-to-lisbon" */ id: string; /** Tags to add; those it has already do no harm */ add?: string[]; /** Tags to remove; those it does not have do no harm */ remove?: string[] }
    readonly result: { id: string; /** The note as a resource */ uri: string; title: string; tags: string[]; /** Grows with every change; write_note takes it as expectedRevision */ revision: number; createdAt: string; updatedAt: string; /** Length of the body */ characters: number }
  }
  write_note: {
    readonly arguments: { /** Id of the note to replace. Leave it out for a new note: its title names it */ id?: string; /** Title on one line. No two notes have the same one */ title: string; /** The whole text in Markdown, without the title. At most 256 KiB */ body: string; /** Tags: letters and digits of any script, with - _ . and / inside, such as "recipes" or "work/hiring". Left out, a replace… */ tags?: string[]; /** Revision being replaced. The call is refused if the note has another by now */ expectedRevision?: number }
    readonly result: { effect: "created" | "replaced" | "unchanged"; note: { id: string; /** The note as a resource */ uri: string; title: string; tags: string[]; /** Grows with every change; write_note takes it as expectedRevision */ revision: number; createdAt: string; updatedAt: string; /** Length of the body */ characters: number } }
  }
}
