"""The models and inputs that tests and benchmarks run, built or fetched on first use."""

from tests.zoo.build import MODELS, build, model_path
from tests.zoo.inputs import make_inputs, photo

__all__ = ["MODELS", "build", "make_inputs", "model_path", "photo"]
