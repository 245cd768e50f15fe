/** Skills of a folder, from the command of the package to what a client reads. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { installedConsumer } from '../../../test/tarball/installed-consumer.ts'

const { directory } = await installedConsumer()

const FILES: Readonly<Record<string, Uint8Array>> = {
  'SKILL.md': Buffer.from(
    '---\r\nname: refunds\r\ndescription: "Refunds: an order"\r\n---\r\n\r\nDo it.\r\n',
  ),
  'logo.png': new Uint8Array([137, 80, 78, 71, 0]),
  'notes/a b.md': Buffer.from('\ufeffé\r\n'),
}

/** Prints the entry of the skill, and the contents of each of its files. */
const CLIENT = `
import { McpServer } from 'edgeway'
import { skill, skills as skillsFeature } from 'edgeway/skills'
import { connect } from 'edgeway/testing'
import { skills } from './src/skills.ts'

const server = new McpServer({ name: 's', version: '1' })
for (const source of skills) server.registerSkill(skill(source))
const client = await connect(server, { features: [skillsFeature()] })
const answer = await client.request('skills/get', { uri: 'skill://refunds/SKILL.md' })
const contents = []
for (const { uri } of answer.skill.resources) contents.push((await client.readResource(uri)).contents[0])
console.log(JSON.stringify({ ...answer, contents }))
`

describe('the skills of a folder', () => {
  it('are read byte for byte, as their entry says', () => {
    const project = join(directory, 'with-skills')
    for (const [path, bytes] of Object.entries(FILES)) {
      const file = join(project, 'skills/refunds', path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, bytes)
    }
    const command = join(directory, 'node_modules/edgeway/dist/cli/edgeway.js')
    const run = (...args: readonly string[]) =>
      execFileSync(process.execPath, args, { cwd: project, encoding: 'utf8' })
    expect(run(command, 'skills')).toBe('src/skills.ts has been written: 1 skill.\n')
    writeFileSync(join(project, 'client.mjs'), CLIENT)
    const { skill, contents } = JSON.parse(run('--no-warnings', 'client.mjs'))
    expect(skill).toMatchObject({
      uri: 'skill://refunds/SKILL.md',
      frontmatter: { name: 'refunds', description: 'Refunds: an order' },
    })
    const read = contents.map(({ text, blob }: { text?: string; blob?: string }) =>
      text === undefined ? Buffer.from(blob ?? '', 'base64') : Buffer.from(text),
    )
    expect(read).toEqual(Object.values(FILES).map((bytes) => Buffer.from(bytes)))
    expect(skill.resources).toEqual(
      Object.entries(FILES).map(([path, bytes]) => ({
        uri: `skill://refunds/${path.replace(' ', '%20')}`,
        size: bytes.byteLength,
        digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
      })),
    )
  })
})
