/** The same Worker; its lane binds a secret in place of the keyring object. */
export { default } from '../edgeway/asking.ts'
