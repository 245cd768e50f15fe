/** A directory for the state of one test. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** @param atEnd receives a function that deletes the directory */
export function temporaryDirectory(atEnd: (dispose: () => void) => void): string {
  const directory = mkdtempSync(join(tmpdir(), 'edgeway-upgrade-'))
  atEnd(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
