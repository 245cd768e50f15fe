/** Type-checks the files that the skills of the package write, against the installed package. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  alternativesOf,
  publishedSkillText,
  stepsOf,
} from '../../../test/support/node/skill-steps.ts'
import { typeErrorsOf } from '../../../test/tarball/check-types.ts'
import { installedConsumer } from '../../../test/tarball/installed-consumer.ts'
import { starterFiles } from '../src/init/starter-files.ts'
import { changeImports, MOVES, writeNotes } from './notes-to-move.ts'

const { directory } = await installedConsumer()
const project = join(directory, 'skill-files')

function write(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(project, path)), { recursive: true })
  writeFileSync(join(project, path), text)
}

function writeBlocks(folder: string, text: string, alternative?: string): void {
  for (const step of stepsOf(text, alternative)) {
    // Each folder is checked with the options of this test.
    if (step.kind === 'file' && step.path !== 'tsconfig.json') {
      write(`${folder}/${step.path}`, step.text)
    }
  }
}

describe('the TypeScript of the skills', () => {
  it('type-checks against the package, in the folders that it is written for', () => {
    const files = starterFiles({ name: 'a', auth: 'open', description: undefined, edgeway: '*' })
    for (const [path, text] of files) if (/^(?:src|test)\//.test(path)) write(`build/${path}`, text)
    writeBlocks('build', publishedSkillText('edgeway-build-a-server'))
    const moving = publishedSkillText('edgeway-move-a-server')
    expect(MOVES.map(({ kind }) => kind)).toEqual(alternativesOf(moving))
    for (const { kind, write } of MOVES) {
      const folder = join(project, kind.replaceAll(' ', '-'))
      mkdirSync(folder, { recursive: true })
      writeNotes(folder)
      write?.(folder)
      changeImports(folder, moving)
      writeBlocks(kind.replaceAll(' ', '-'), moving, kind)
    }
    expect(typeErrorsOf(project, ['.'])).toBe('')
  }, 300_000)
})
