import { defineConfig } from 'vitest/config';
import { suite } from './test/support/suite.ts';

export default defineConfig(({ mode }) => suite(mode));
