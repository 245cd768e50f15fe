/**
 * A registry that publishes packed packages of this repository. Every other package is redirected to the registry
 * that npm is configured with, so that commands run as they are written, before the packages are published.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'

export interface Registry {
  /**
   * Settings of npm, as environment variables. The cache is that of the machine, without the installations of
   * `npx`, which keeps a version that it has installed once.
   */
  readonly settings: Readonly<Record<string, string>>
  readonly stop: () => Promise<void>
}

interface Publication {
  readonly name: string
  readonly file: string
  readonly bytes: Uint8Array
  /** The document of the registry, for a base URL. */
  readonly document: (base: string) => object
}

/** @param folder receives the cache of npm */
export async function startRegistry(
  tarballs: readonly string[],
  folder: string,
): Promise<Registry> {
  const setting = (name: string) =>
    execFileSync('npm', ['config', 'get', name], { cwd: folder, encoding: 'utf8' }).trim()
  const upstream = setting('registry')
  const cache = join(folder, 'cache')
  mkdirSync(join(setting('cache'), '_cacache'), { recursive: true })
  mkdirSync(cache)
  symlinkSync(join(setting('cache'), '_cacache'), join(cache, '_cacache'))
  const publications = tarballs.map(publish)
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://registry')
    const base = `http://${request.headers.host}`
    const document = publications.find(({ name }) => pathname === `/${name}`)
    const tarball = publications.find(({ file }) => pathname === `/-/${file}`)
    if (document !== undefined) {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(document.document(base)))
    } else if (tarball !== undefined) {
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(tarball.bytes)
    } else {
      response.writeHead(307, { location: new URL(`.${request.url}`, upstream).href }).end()
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    settings: {
      npm_config_registry: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      npm_config_cache: cache,
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function publish(tarball: string): Publication {
  const bytes = readFileSync(tarball)
  const file = basename(tarball)
  const text = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' })
  const manifest: { readonly name: string; readonly version: string } = JSON.parse(text)
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  return {
    name: manifest.name,
    file,
    bytes,
    document: (base) => ({
      name: manifest.name,
      'dist-tags': { latest: manifest.version },
      versions: {
        [manifest.version]: { ...manifest, dist: { tarball: `${base}/-/${file}`, integrity } },
      },
    }),
  }
}
