/**
 * Says that the test which calls it verifies requirements: it fails when one of them is violated. Nothing happens
 * at run time; `npm run requirements` and `test/requirements.test.ts` read the calls.
 *
 * In a test that runs over a table, `row` is a text of the row that verifies them.
 *
 * @param _requirements - `<document>/<id>`, as `test/requirements` lists them
 */
export function verifies(
  ..._requirements: readonly (`${string}/${string}` | { readonly row: string })[]
): void {}
