/** The storage of an object with SQL rows. Its first row creates the tables. */
import { Tables } from './tables.ts'

/** Tables, one of which has the parts of texts that are too long for a row. */
export class ObjectStorage<Statements extends PartStatements> extends Tables<Statements> {
  /** Returns the text for the row; null after writing a text that is too long for it in parts. */
  write(owner: string, text: string): string | null {
    if (text.length <= PART_LENGTH) return text
    for (let at = 0, part = 0; at < text.length; part++) {
      const end = endOfPart(text, at + PART_LENGTH)
      this.statements.insertPart(owner, part, text.slice(at, end))
      at = end
    }
    return null
  }

  /** The same for an owner that may have had a text with more parts. */
  replace(owner: string, text: string): string | null {
    this.statements.deleteParts(owner)
    return this.write(owner, text)
  }

  read(owner: string, text: string | null): string {
    return text ?? this.statements.parts(owner).join('')
  }
}

/** A row holds at most 2 MB; a part of this many UTF-16 code units is at most 1.5 MB of UTF-8. */
const PART_LENGTH = 512 * 1024

interface PartStatements {
  readonly insertPart: (owner: string, part: number, text: string) => void
  readonly deleteParts: (owner: string) => void
  readonly parts: (owner: string) => readonly string[]
}

/** A surrogate pair must not be split: neither half can be encoded as UTF-8. */
function endOfPart(text: string, end: number): number {
  const code = text.charCodeAt(end - 1)
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end
}
