import parser from '@typescript-eslint/parser'
import { configs } from 'samestep/eslint'

// Finds what would make two machines compute different states. Add your own rules behind it.
export default [
  { ignores: ['dist'] },
  { files: ['**/*.ts'], languageOptions: { parser } },
  ...configs.recommended,
]
