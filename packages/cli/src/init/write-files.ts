/** Writes the files of a new server: all of them, or none. */
import { randomUUID } from 'node:crypto'
import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { useFile } from '../../../text/src/files/file-error.ts'
import type { Files } from './starter-files.ts'

/** Files with secrets are readable by their owner alone. */
const SECRET_MODE = 0o600

/**
 * @param directory does not exist, or has nothing but `.git`
 * @throws {Error} when it has other files meanwhile, which are left as they are
 */
export function writeFiles(directory: string, files: Files): void {
  const exists = existsSync(directory)
  const parent = exists ? directory : dirname(directory)
  // On the same file system as the destination, so that entries can be renamed.
  const stage = join(parent, `.${basename(directory)}-${randomUUID()}`)
  try {
    useFile(directory, 'written', () => writeStage(stage, files))
    if (exists) moveEntries(stage, directory)
    else renameSync(stage, directory)
  } catch (error) {
    if (!/^(?:EEXIST|ENOTEMPTY)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error
    throw new Error(`The folder ${directory} is not empty any more. Nothing was written.`, {
      cause: error,
    })
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

function writeStage(stage: string, files: Files): void {
  mkdirSync(dirname(stage), { recursive: true })
  // With `recursive`, Node would never return where the system creates no folder, such as in `/proc`.
  mkdirSync(stage)
  for (const [path, content] of files) {
    mkdirSync(dirname(join(stage, path)), { recursive: true })
    const mode = path === '.dev.vars' ? SECRET_MODE : undefined
    writeFileSync(join(stage, path), content, { mode })
  }
}

/** Replaces no file. Folders are first: the first one of another run ends this one before it has moved anything. */
function moveEntries(stage: string, directory: string): void {
  const entries = readdirSync(stage, { withFileTypes: true })
  const moved: string[] = []
  try {
    for (const entry of entries.sort((a, b) => Number(a.isFile()) - Number(b.isFile()))) {
      const [from, to] = [join(stage, entry.name), join(directory, entry.name)]
      if (entry.isFile()) copyFileSync(from, to, constants.COPYFILE_EXCL)
      else renameSync(from, to)
      moved.push(to)
    }
  } catch (error) {
    for (const path of moved) rmSync(path, { recursive: true, force: true })
    throw error
  }
}
