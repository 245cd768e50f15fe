/** Tests which server, images and secrets `edgeway submit` takes or refuses of a project. */
// features: all
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { DescribedApp } from '../../doctor/src/config/inspector.ts'
import type { Environment } from '../../doctor/src/config/wrangler.ts'
import { endpointOf } from '../src/submit/endpoint.ts'
import { readImages } from '../src/submit/image-files.ts'
import type { Listing } from '../src/submit/listing.ts'
import { publishSteps } from '../src/submit/registry/publish-steps.ts'
import { refuseLocalSecrets } from '../src/submit/submission.ts'

const LOGO = resolve(import.meta.dirname, '../../../examples/notebook/listing/logo.png')
const TEMPORARY = mkdtempSync(join(tmpdir(), 'edgeway-sources-'))
let parent = ''
let root = ''
let folder = ''

beforeEach(() => {
  parent = mkdtempSync(join(TEMPORARY, 'case-'))
  root = join(parent, 'project')
  folder = join(root, 'listing')
  mkdirSync(folder, { recursive: true })
})

afterAll(() => rmSync(TEMPORARY, { recursive: true, force: true }))

const app = (paths: readonly string[], origins?: readonly string[]): DescribedApp => ({
  paths,
  audience: 'notes',
  kinds: [],
  required: [],
  scoped: [],
  ...(origins === undefined ? {} : { auth: { type: 'embedded', origins } }),
})

const environment = (vars: object = {}, routes: readonly string[] = []) =>
  ({ name: undefined, config: { vars, routes } }) as unknown as Environment

const ONE = app(['/mcp', '/sse'])
const TEAM = app(['/{org}/mcp'])

describe('the endpoint of a submission', () => {
  it.each<[string, readonly DescribedApp[], Environment, Pick<Listing, 'url'>, string]>([
    ['the listing', [ONE], environment(), { url: 'https://a.dev/mcp' }, 'https://a.dev/mcp'],
    [
      'the listing, of several servers',
      [ONE, TEAM],
      environment(),
      { url: 'https://a.dev/acme/mcp' },
      'https://a.dev/acme/mcp',
    ],
    [
      'the listing, as a template',
      [TEAM],
      environment(),
      { url: 'https://a.dev/{org}/mcp' },
      'https://a.dev/{org}/mcp',
    ],
    [
      'the option of auth',
      [app(['/mcp'], ['https://b.dev'])],
      environment({ EDGEWAY_ORIGIN: 'https://a.dev' }),
      {},
      'https://b.dev/mcp',
    ],
    [
      'the variable',
      [ONE],
      environment({ EDGEWAY_ORIGIN: 'https://a.dev, https://b.dev' }),
      {},
      'https://a.dev/mcp',
    ],
  ])('is that of %s', (_, apps, config, listing, url) => {
    expect(endpointOf(apps, config, listing).url).toBe(url)
  })

  it('selects the server that answers at its path', () => {
    const { app: found } = endpointOf([ONE, TEAM], environment(), { url: 'https://a.dev/acme/mcp' })
    expect(found).toBe(TEAM)
  })

  it.each<[string, readonly DescribedApp[], Environment, Pick<Listing, 'url'>, RegExp]>([
    ['no origin is known', [ONE], environment(), {}, /Write its "url" in directory\.json/],
    [
      'the origin is that of development',
      [ONE],
      environment({ EDGEWAY_ORIGIN: 'development' }),
      {},
      /Write its "url" in directory\.json/,
    ],
    [
      'the Worker has several servers',
      [ONE, TEAM],
      environment({ EDGEWAY_ORIGIN: 'https://a.dev' }),
      {},
      /several servers, at \/mcp, \/sse, \/\{org\}\/mcp\. Write the "url" of one/,
    ],
    [
      'no server answers at the path',
      [ONE],
      environment(),
      { url: 'https://a.dev/other' },
      /no server answers at its path\. The paths are \/mcp, \/sse/,
    ],
    ['it is http', [ONE], environment(), { url: 'http://a.dev/mcp' }, /by https at a public host/],
    [
      'it is local',
      [ONE],
      environment(),
      { url: 'https://localhost/mcp' },
      /by https at a public host/,
    ],
    [
      'its address is private',
      [ONE],
      environment(),
      { url: 'https://10.0.0.1/mcp' },
      /by https at a public host/,
    ],
    [
      'it has a query',
      [ONE],
      environment(),
      { url: 'https://a.dev/mcp?key=1' },
      /Leave out user information, the query and the fragment/,
    ],
    [
      'it has a password',
      [ONE],
      environment(),
      { url: 'https://a:b@a.dev/mcp' },
      /Leave out user information/,
    ],
  ])('is refused when %s', (_, apps, config, listing, message) => {
    expect(() => endpointOf(apps, config, listing)).toThrow(message)
  })
})

describe('an image of a listing', () => {
  it('is read by its content, in the folder of the listing and of the project', () => {
    writeFileSync(
      join(root, 'icon.svg'),
      '<svg viewBox="0 0 64 64" xmlns="http://www.w3.org/2000/svg"/>',
    )
    symlinkSync(join(root, 'icon.svg'), join(folder, 'icon.svg'))
    const { logos } = readImages({ logo: '../icon.svg', icon: 'icon.svg' }, folder, root)
    expect(logos.logo).toMatchObject({ type: 'svg', width: 64, height: 64, member: 'logo' })
    expect(logos.icon).toMatchObject({ path: 'icon.svg' })
  })

  it.each<[string, string, () => void, RegExp]>([
    [
      'does not exist',
      'none.png',
      () => {},
      /"logo" of directory\.json: there is no file none\.png/,
    ],
    ['is a folder', '.', () => {}, /there is no file/],
    [
      'is a text',
      'logo.png',
      () => writeFileSync(join(folder, 'logo.png'), 'no image'),
      /logo\.png is no image: write a PNG, JPEG, WebP or SVG file/,
    ],
    ['is empty', 'logo.png', () => writeFileSync(join(folder, 'logo.png'), ''), /is no image/],
    [
      'is outside of the project',
      LOGO,
      () => {},
      /is outside of the project\. Copy the file into it/,
    ],
    [
      'is a link to a file outside of the project',
      'logo.png',
      () => symlinkSync(LOGO, join(folder, 'logo.png')),
      /logo\.png is outside of the project/,
    ],
    [
      'is in a folder with a name that begins with that of the project',
      '../../project-2/logo.png',
      () => {
        mkdirSync(join(parent, 'project-2'))
        writeFileSync(join(parent, 'project-2/logo.png'), 'x')
      },
      /is outside of the project/,
    ],
    [
      'has more than 20 MiB',
      'logo.png',
      () => writeFileSync(join(folder, 'logo.png'), new Uint8Array(20 * 1024 * 1024 + 1)),
      /has more than 20971520 bytes/,
    ],
  ])('is refused when it %s', (_, path, create, message) => {
    create()
    expect(() => readImages({ logo: path }, folder, root)).toThrow(message)
  })
})

describe('a secret of the project', () => {
  const check = (value: string, listing: Listing) => {
    writeFileSync(join(root, '.dev.vars'), `API_KEY="${value}"\n`)
    return refuseLocalSecrets(root, listing, join(folder, 'directory.json'))
  }

  it('is refused in any text of the listing', async () => {
    const listing = { releaseNotes: 'Try it with correct-horse-battery today.' }
    await expect(check('correct-horse-battery', listing)).rejects.toThrow(
      /directory\.json contains the value of API_KEY in \.dev\.vars/,
    )
  })

  it.each(['replace-me', 'short', 'https://api.example.com'])(
    'with the value %j is none, and may be in the listing',
    async (value) => {
      await expect(check(value, { description: `See ${value}` })).resolves.toBeUndefined()
    },
  )
})

describe('the steps of a publication to the registry', () => {
  it('prove an account of GitHub by OIDC or by a login', () => {
    const steps = publishSteps('io.github.octocat/notes', 'https://notes.octocat.workers.dev/mcp')
    expect(steps).toContain('Prove that octocat is yours')
    expect(steps).toContain('mcp-publisher login github-oidc')
    expect(steps).toContain('mcp-publisher login github\n')
    expect(steps).not.toContain('key.pem')
  })

  it('prove a domain by HTTP or DNS, and name the host where it differs', () => {
    const steps = publishSteps('com.example/notes', 'https://mcp.example.net/{org}/mcp')
    expect(steps).toContain('https://example.com/.well-known/mcp-registry-auth')
    expect(steps).toContain('mcp-publisher login http --domain example.com --private-key')
    expect(steps).toContain('mcp-publisher login dns --domain example.com --private-key')
    expect(steps).toContain('The server itself is at mcp.example.net, another host.')
    const same = publishSteps('com.example/notes', 'https://mcp.example.com/mcp')
    expect(same).not.toContain('another host')
  })
})
