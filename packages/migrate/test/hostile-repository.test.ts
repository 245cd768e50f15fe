/** Tests that the command line starts no program that the repository of a folder names. */
// features: all
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSecretFiles } from '../../doctor/src/config/local-secrets.ts'
import { treeState } from '../src/git.ts'
import { planMigration } from '../src/migrate.ts'
import { commit, folderOf, write } from './folder.ts'
import { PROJECTS } from './projects.ts'

const NOW = new Date()

/** Each way of a repository to have a program started, with `STARTED` in the place of the program. */
const WAYS: Readonly<Record<string, (folder: string, started: string) => void>> = {
  'a filter that cleans': (folder, started) => {
    config(folder, 'filter.x.clean', started)
    write(folder, '.gitattributes', '* filter=x\n')
  },
  'a filter that is a process, and is required': (folder, started) => {
    config(folder, 'filter.x.y.process', started)
    config(folder, 'filter.x.y.required', 'true')
    write(folder, '.gitattributes', '* filter=x.y\n')
  },
  'a filter of an included file, whose name has the sign of an assignment': (folder, started) => {
    config(folder, 'include.path', 'more')
    write(folder, '.git/more', `[filter "a=b"]\n\tclean = ${started}\n`)
    write(folder, '.gitattributes', '* filter=a=b\n')
  },
  'a hook of the index': (folder, started) => {
    write(folder, '.git/hooks/post-index-change', `#!/bin/sh\n${started}\n`)
    chmodSync(join(folder, '.git/hooks/post-index-change'), 0o755)
  },
  'a hook in a folder of its own': (folder, started) => {
    write(folder, 'hooks/post-index-change', `#!/bin/sh\n${started}\n`)
    chmodSync(join(folder, 'hooks/post-index-change'), 0o755)
    config(folder, 'core.hooksPath', 'hooks')
  },
  'a monitor of the file system': (folder, started) => config(folder, 'core.fsmonitor', started),
  'a filter in a submodule': (folder, started) => {
    write(folder, 'sub/a.txt', 'a')
    commit(join(folder, 'sub'))
    execFileSync('git', ['add', 'sub'], { cwd: folder, stdio: 'ignore' })
    config(join(folder, 'sub'), 'filter.x.clean', started)
    write(folder, 'sub/.gitattributes', '* filter=x\n')
    utimesSync(join(folder, 'sub/a.txt'), NOW, NOW)
  },
  'a remote of a partial clone': (folder, started) => {
    config(folder, 'core.repositoryformatversion', '1')
    config(folder, 'extensions.partialClone', 'origin')
    config(folder, 'remote.origin.url', `ext::sh -c ${started.replaceAll(' ', '% ')}`)
    config(folder, 'remote.origin.promisor', 'true')
    config(folder, 'protocol.ext.allow', 'always')
    rmSync(join(folder, '.git/objects'), { recursive: true })
    write(folder, '.git/objects/info/alternates', '')
  },
}

function config(folder: string, key: string, value: string): void {
  execFileSync('git', ['config', key, value], { cwd: folder })
}

describe('a repository with', () => {
  it.each(Object.entries(WAYS))(
    '%s has no program started by migrate or by the doctor',
    (_, prepare) => {
      const folder = folderOf({ ...PROJECTS.agent, '.env': 'A=b\n' })
      commit(folder)
      const mark = join(folder, '.git/started')
      prepare(folder, `touch ${mark}`)
      for (const file of ['src/index.ts', 'wrangler.jsonc', '.env']) {
        utimesSync(join(folder, file), NOW, NOW)
      }
      planMigration(folder)
      treeState(folder)
      readSecretFiles(folder)
      expect(existsSync(mark)).toBe(false)
    },
  )
})
