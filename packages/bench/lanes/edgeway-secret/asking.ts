/** The Worker of the lane `edgeway`, bound to a secret instead of the keyring object. */
export { default } from '../edgeway/asking.ts'
