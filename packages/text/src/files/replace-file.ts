/** Writes a file of a project as a whole: a run that ends in the middle leaves the earlier one. */
import { randomUUID } from 'node:crypto'
import { chmodSync, lstatSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Replaces the file, and keeps its mode. A symbolic link stays, and its target is replaced.
 *
 * @throws {Error} of the file system; the earlier file is then unchanged
 */
export function replaceFile(file: string, content: string | Uint8Array): void {
  const exists = lstatSync(file, { throwIfNoEntry: false }) !== undefined
  // Fails for a link to nothing, which does not say what it should contain.
  const target = exists ? realpathSync(file) : file
  const stage = `${target}.${randomUUID()}.tmp`
  try {
    writeFileSync(stage, content, { flag: 'wx' })
    if (exists) chmodSync(stage, lstatSync(target).mode)
    renameSync(stage, target)
  } finally {
    rmSync(stage, { force: true })
  }
}
