/** Opens the part of an object: its name says of which kind it is, and of which server. */
import { audienceDigest, type Kind, readObjectName } from '../src/ports/object-kinds.ts'
import type { OpenedPart, ServerObjects } from '../src/ports/objects.ts'

/** An object without a name, and one of a kind or server that the Worker does not have, is not opened. */
export function openPart(
  servers: readonly ServerObjects[],
  ctx: DurableObjectState,
  env: Cloudflare.Env,
): OpenedPart | undefined {
  const name = readObjectName(ctx.id.name)
  if (name === undefined) return undefined
  const { kind, server: digest } = name
  const isOf = ({ audience, parts }: ServerObjects) =>
    Object.hasOwn(parts, kind) && (digest === undefined || digest === audienceDigest(audience))
  const server = servers.find(isOf)
  const part = server?.parts[kind as Kind]?.create(ctx, env, server.objectsIn(env))
  return part && { kind, part }
}
