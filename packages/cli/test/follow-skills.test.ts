/**
 * Follows the skills of the package to the letter, in empty folders: every command and every file of their text, in
 * its order. The packed packages stand in for the published ones.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  choosePort,
  createFollower,
  type Follower,
  type Outcome,
} from '../../../test/support/node/follow-steps.ts'
import { type Registry, startRegistry } from '../../../test/support/node/local-registry.ts'
import { publishedSkillText, type Step, stepsOf } from '../../../test/support/node/skill-steps.ts'
import { environmentOf } from '../../../test/support/node/starter.ts'
import { ROOT } from '../../../test/tarball/consumer.ts'
import { installedConsumer } from '../../../test/tarball/installed-consumer.ts'
import { changeImports, MOVES, writeNotes } from './notes-to-move.ts'

const { tarball } = await installedConsumer()
const FOLDER = mkdtempSync(join(tmpdir(), 'edgeway-followed-'))

let registry: Registry
let followerIn: (folder: string) => Follower

/** The folder that the first skill has made. */
const SERVER = join(FOLDER, 'build/my-server')

beforeAll(async () => {
  const create = execFileSync('npm', ['pack', '--silent', '--pack-destination', FOLDER], {
    cwd: join(ROOT, 'packages/create-edgeway'),
    encoding: 'utf8',
  })
  registry = await startRegistry([tarball, join(FOLDER, create.trim())], FOLDER)
  const env = { ...environmentOf(process.execPath), ...registry.settings }
  const port = await choosePort()
  followerIn = (folder) => createFollower(folder, env, port)
})

afterAll(async () => {
  await registry?.stop()
  rmSync(FOLDER, { recursive: true, force: true })
})

/** Follows steps that must all succeed, and returns their outputs. */
async function succeed(follower: Follower, steps: readonly Step[]): Promise<readonly string[]> {
  const outputs: string[] = []
  for (const step of steps) {
    const { code, output } = await follower.follow(step)
    if (code !== 0) throw new Error(`${step.text} ended with ${code}\n${output}`)
    outputs.push(output)
  }
  return outputs
}

/** The tools in the output of `curl`. */
function toolsIn(output: string): readonly { readonly name: string }[] {
  const [answer = ''] = /^\{"jsonrpc".*\}$/m.exec(output) ?? []
  return JSON.parse(answer).result.tools
}

describe('the skill edgeway-build-a-server, followed in an empty folder', () => {
  it('ends with a server that passes its check, connects every client and lists its tools', async () => {
    mkdirSync(join(FOLDER, 'build'))
    const follower = followerIn(join(FOLDER, 'build'))
    const steps = stepsOf(publishedSkillText('edgeway-build-a-server'))
    try {
      const outputs = (await succeed(follower, steps)).join('\n')
      expect(follower.directory()).toBe(SERVER)
      expect(outputs).toMatch(/Tests +6 passed/)
      expect(outputs).toMatch(/--dry-run: exiting now/)
      expect(outputs).toMatch(/9 of 9 clients connect/)
      expect(toolsIn(outputs).map(({ name }) => name)).toEqual(['quote_parcel', 'order_pickup'])
    } finally {
      await follower.stop()
    }
  }, 600_000)
})

describe('the skill edgeway-find-connection-fault, followed at a server with two faults', () => {
  const worker = join(SERVER, 'src/worker.ts')
  const config = join(SERVER, 'wrangler.jsonc')
  const serve: Step = { kind: 'commands', section: '', text: 'npm run dev' }

  /** Notifications are answered with 200, at which Codex stops, and the class of the objects is not bound. */
  function plant() {
    const [source, settings] = [readFileSync(worker, 'utf8'), readFileSync(config, 'utf8')]
    writeFileSync(
      worker,
      source.replace(
        'export default edgeway',
        `export default {
  async fetch(request: Request, env: unknown, ctx: ExecutionContext) {
    const response = await edgeway.fetch(request, env, ctx)
    return response.status === 202 ? new Response(null, { status: 200 }) : response
  },
}`,
      ),
    )
    writeFileSync(config, settings.replace(/^.*"MCP_OBJECTS".*\n/m, ''))
    return {
      binding: () => writeFileSync(config, settings),
      worker: () => writeFileSync(worker, source),
    }
  }

  it('names both with their fixes, and connects every client after the repair', async () => {
    const repair = plant()
    mkdirSync(join(FOLDER, 'empty'))
    const outside = followerIn(join(FOLDER, 'empty'))
    const inside = followerIn(SERVER)
    const [examine, configure, timeline, ...others] = stepsOf(
      publishedSkillText('edgeway-find-connection-fault'),
    ) as [Step, Step, Step]
    expect(others).toEqual([])
    try {
      await inside.follow(serve)
      const before = await outside.follow(examine)
      expect(before.output).toMatch(/Codex +does not connect/)
      expect(codesIn(before)).toContain('notification-not-202')
      const settings = await inside.follow(configure)
      expect([settings.code, settings.output]).toEqual([1, expect.stringContaining('McpObjects')])
      for (const code of [...codesIn(before), ...codesIn(settings)]) {
        const faults = readFileSync(
          join(SERVER, 'node_modules/edgeway/docs/reference/faults.md'),
          'utf8',
        )
        expect(faults).toContain(`### \`${code}\`\n`)
      }
      repair.binding()
      await inside.follow(serve)
      expect(await inside.follow(configure)).toMatchObject({ code: 0 })
      await outside.follow(examine)
      expect((await inside.follow(timeline)).output).toMatch(/connection /)
      repair.worker()
      await inside.follow(serve)
      const after = await outside.follow(examine)
      expect([after.code, after.output]).toEqual([0, expect.stringMatching(/9 of 9/)])
    } finally {
      await inside.stop()
    }
  }, 600_000)
})

/** The codes of the findings in a report of the doctor. */
function codesIn({ output }: Outcome): readonly string[] {
  return [...output.matchAll(/^\s+(?:error|warning)\s+([a-z0-9-]+)/gm)].map(([, code = '']) => code)
}

describe('the skill edgeway-move-a-server, followed in the folder of a server', () => {
  const skill = publishedSkillText('edgeway-move-a-server')
  const folder = join(FOLDER, 'move')

  beforeAll(async () => {
    mkdirSync(folder)
    writeNotes(folder)
    // Packages and imports are the same for every kind of server, and done once.
    const packages = stepsOf(skill).filter(({ section }) => section === '2. The packages')
    expect(packages).toHaveLength(1)
    await succeed(followerIn(folder), packages)
    changeImports(folder, skill)
  }, 600_000)

  it.each(MOVES)(
    '$kind: has the same tools, and connects clients',
    async (move) => {
      move.write?.(folder)
      const steps = stepsOf(skill, move.kind).filter(({ section }) => section !== '2. The packages')
      const { commands } = move
      const more: Step[] = commands ? [{ kind: 'commands', section: '', text: commands }] : []
      const follower = followerIn(folder)
      try {
        const outputs = (await succeed(follower, [...steps, ...more])).join('\n')
        expect(outputs).toMatch(/--dry-run: exiting now/)
        expect(outputs).toMatch(/9 of 9 clients connect/)
        move.check(outputs, toolsIn)
      } finally {
        await follower.stop()
      }
    },
    600_000,
  )
})
