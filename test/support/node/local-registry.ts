/**
 * A registry that publishes packed packages of this repository. Every other package is redirected to the registry
 * that npm is configured with, so that commands run as they are written, before the packages are published.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename } from 'node:path'

export interface Registry {
  /** For `npm_config_registry`. */
  readonly url: string
  readonly stop: () => Promise<void>
}

interface Publication {
  readonly name: string
  readonly file: string
  readonly bytes: Uint8Array
  /** The document of the registry, for a base URL. */
  readonly document: (base: string) => object
}

export async function startRegistry(tarballs: readonly string[], cwd: string): Promise<Registry> {
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], { cwd, encoding: 'utf8' })
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
      response.writeHead(307, { location: new URL(`.${request.url}`, upstream.trim()).href }).end()
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
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
