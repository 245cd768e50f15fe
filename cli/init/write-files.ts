/** Writes the files of a new server: all of them, or none. */
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Files } from './starter-files.ts'

/** Files with secrets are readable by their owner alone. */
const SECRET_MODE = 0o600

/** @param directory does not exist, or has nothing but `.git` */
export function writeFiles(directory: string, files: Files): void {
  const exists = existsSync(directory)
  const parent = exists ? directory : dirname(directory)
  // On the same file system as the destination, so that entries can be renamed.
  const stage = join(parent, `.${basename(directory)}-${randomUUID()}`)
  try {
    for (const [path, content] of files) {
      mkdirSync(dirname(join(stage, path)), { recursive: true })
      const mode = path === '.dev.vars' ? SECRET_MODE : undefined
      writeFileSync(join(stage, path), content, { mode })
    }
    if (!exists) renameSync(stage, directory)
    else
      for (const entry of readdirSync(stage)) renameSync(join(stage, entry), join(directory, entry))
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}
