/** Sessions of agents behind an `OAuthProvider` whose version names no user. */
import type { NodePath } from '@babel/traverse'
import { type Decision, guide } from '../plan.ts'
import { originOf, placeOfNode, type SourceFile, visit } from '../source-file.ts'
import { propertyOf } from './agents.ts'

export const PROVIDER = '@cloudflare/workers-oauth-provider'

const WHY =
  'A session belongs to the props of its caller, which tokenExchangeCallback changes with each token: sessions end then, with their state. Name the caller with static edgeway = { subject }, or update @cloudflare/workers-oauth-provider to 1.0'

/** @param range the version of the provider that the project depends on */
export function providerDecisions(
  files: readonly SourceFile[],
  range: string | undefined,
): readonly Decision[] {
  if (range === undefined || !/^[\^~v=]*0\./.test(range) || files.some(namesSubject)) return []
  return files.flatMap((file) => {
    const decisions: Decision[] = []
    visit(file, {
      NewExpression(path) {
        if (originOf(path.get('callee') as NodePath)?.module !== PROVIDER) return
        const callback = propertyOf(path.node.arguments[0], 'tokenExchangeCallback')
        if (callback === undefined) return
        const place = placeOfNode(file, callback)
        const anchor = guide.moving('oauthprovider-in-front')
        decisions.push({ ...place, code: 'session-ends-with-props', why: WHY, guide: anchor })
      },
    })
    return decisions
  })
}

/** Whether a class has `static edgeway = { subject }`. */
export function namesSubject(file: SourceFile): boolean {
  let found = false
  visit(file, {
    ClassProperty({ node: { key, value, static: isStatic } }) {
      const isSettings = isStatic && key.type === 'Identifier' && key.name === 'edgeway'
      if (isSettings && propertyOf(value ?? undefined, 'subject') !== undefined) found = true
    },
  })
  return found
}
