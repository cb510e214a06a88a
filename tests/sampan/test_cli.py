"""The command line: results, --json, exit codes; in process and as a real program."""
from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from sampan.cli.main import main

from . import models


def sampan(capsys: pytest.CaptureFixture, *args: object) -> tuple[int, str, str]:
    """Runs a command in this process: exit code, output, error output."""
    code = main([str(a) for a in args])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def spn(tmp_path) -> Path:
    path = tmp_path / "affine.spn"
    path.write_bytes(models.affine())
    return path


@pytest.fixture
def onnx_model(tmp_path) -> Path:
    """A convolution with a bias, an activation and a pool."""
    rng = np.random.default_rng(3)
    w = helper.make_tensor("w", TensorProto.FLOAT, (8, 3, 3, 3), rng.standard_normal(216).astype(np.float32))
    b = helper.make_tensor("b", TensorProto.FLOAT, (8,), rng.standard_normal(8).astype(np.float32))
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["c"], "conv", pads=[1, 1, 1, 1]),
             helper.make_node("Relu", ["c"], ["r"], "relu"),
             helper.make_node("GlobalAveragePool", ["r"], ["y"], "pool")]
    graph = helper.make_graph(nodes, "small", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3, "h", "w_"])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 8, 1, 1])], [w, b])
    path = tmp_path / "small.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


@pytest.fixture
def unsupported_model(tmp_path) -> Path:
    nodes = [helper.make_node("MadeUp", ["x"], ["a"], "first", domain="my.ops"),
             helper.make_node("Relu", ["a"], ["b"], "good"),
             helper.make_node("AlsoMadeUp", ["b"], ["y"], "second", domain="my.ops")]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])])
    path = tmp_path / "strange.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("my.ops", 1)],
                                ir_version=8), path)
    return path


def test_opt_run_compare(capsys, onnx_model, tmp_path):
    out = tmp_path / "small.spn"
    code, text, _ = sampan(capsys, "opt", onnx_model, "-o", out)
    assert code == 0 and out.exists() and "Conv" in text and "fuse_activation" in text
    code, text, _ = sampan(capsys, "compare", onnx_model, out, "--shape", "x=1,3,9,9", "--all")
    assert code == 0 and "0 differ" not in text and "compared" in text
    code, text, _ = sampan(capsys, "run", out, "--shape", "x=2,3,8,9", "-o", tmp_path / "out.npz")
    assert code == 0 and "[2, 8, 1, 1]" in text
    with np.load(tmp_path / "out.npz") as results:
        assert results["y"].shape == (2, 8, 1, 1)


def test_opt_is_the_same_every_time(capsys, onnx_model, tmp_path):
    for name in ("a.spn", "b.spn"):
        assert sampan(capsys, "opt", onnx_model, "-o", tmp_path / name)[0] == 0
    assert (tmp_path / "a.spn").read_bytes() == (tmp_path / "b.spn").read_bytes()


def test_opt_options(capsys, onnx_model, tmp_path):
    code, text, _ = sampan(capsys, "opt", onnx_model, "--json", "--metadata", "labels=a,b", "--shape", "x=1,3,16,16", "--debug")
    report = json.loads(text)
    assert code == 0 and report["output"].endswith("small.spn") and report["operators"]["Conv"] == 1
    assert report["changes"] and all(c["reason"] for c in report["changes"])
    content = json.loads(sampan(capsys, "inspect", report["output"], "--json")[1])
    tensors = content["graphs"][0]["tensors"]
    assert tensors[content["graphs"][0]["inputs"][0]]["shape"] == [1, 3, 16, 16]
    assert content["metadata"]["labels"] == "a,b" and content["provenance"]["source_format"] == "onnx"
    plain = json.loads(sampan(capsys, "opt", onnx_model, "-o", tmp_path / "p.spn", "--no-optimize", "--json")[1])
    assert plain["nodes"] == plain["source_nodes"] and not plain["changes"]
    skip = ("--skip-pass", "fuse_activation", "--json")
    skipped = json.loads(sampan(capsys, "opt", onnx_model, "-o", tmp_path / "p.spn", *skip)[1])
    assert "fuse_activation" not in skipped["passes"]
    assert sampan(capsys, "opt", onnx_model, "--skip-pass", "no_such_pass")[0] == 2
    assert sampan(capsys, "opt", onnx_model, "--target", "toaster")[0] == 2


def test_all_unsupported_nodes_are_listed_at_once(capsys, unsupported_model, tmp_path):
    code, out, err = sampan(capsys, "opt", unsupported_model, "-o", tmp_path / "o.spn")
    assert code == 4 and "2 node(s)" in err and "first" in err and "second" in err and "good" not in err
    assert not (tmp_path / "o.spn").exists() and not out
    code, out, _ = sampan(capsys, "opt", unsupported_model, "--json")
    nodes = json.loads(out)["unsupported"]
    assert code == 4 and [n["name"] for n in nodes] == ["first", "second"] and all(n["reason"] for n in nodes)


def test_bad_files(capsys, tmp_path, spn):
    text = tmp_path / "text.onnx"
    text.write_text("this is no model")
    assert sampan(capsys, "opt", text)[0] == 3
    cut = tmp_path / "cut.spn"
    cut.write_bytes(spn.read_bytes()[:-64])
    for command in ("run", "inspect", "verify", "bench"):
        code, _, err = sampan(capsys, command, cut)
        assert code == 3 and "BadModel" in err
    code, out, _ = sampan(capsys, "verify", cut, "--json")
    assert code == 3 and json.loads(out)["error"] == "BadModel"
    assert sampan(capsys, "verify", spn)[0] == 0


@pytest.mark.parametrize("args", [["nonsense"], ["run"], ["run", "/no/such/file.spn"], ["run", "{spn}", "--isa", "sse9"],
                                  ["run", "{spn}", "--threads", "0"], ["run", "{spn}", "--shape", "image"],
                                  ["run", "{spn}", "--shape", "nothing=1"], ["run", "{spn}", "--symbol", "z=3"],
                                  ["run", "{spn}", "--shape", "image=1,3,a b"], ["run", "{spn}", "--shape", "image=1,4,2,2"],
                                  ["run", "{spn}", "--input", "image=/no/such.npy"]])
def test_wrong_usage(capsys, spn, args):
    code, _, err = sampan(capsys, *[a.format(spn=spn) for a in args])
    assert code == 2 and err


def test_compare_finds_the_first_difference(capsys, onnx_model, tmp_path):
    other = onnx.load(onnx_model)
    data = np.frombuffer(other.graph.initializer[1].raw_data, np.float32) if other.graph.initializer[1].raw_data else \
        np.array(other.graph.initializer[1].float_data, np.float32)
    changed = helper.make_tensor("b", TensorProto.FLOAT, (8,), data + 0.5)
    other.graph.initializer[1].CopyFrom(changed)
    onnx.save(other, tmp_path / "other.onnx")
    assert sampan(capsys, "opt", tmp_path / "other.onnx")[0] == 0
    code, text, _ = sampan(capsys, "compare", onnx_model, tmp_path / "other.spn", "--shape", "x=1,3,5,5", "--json")
    result = json.loads(text)
    assert code == 1 and not result["ok"] and result["first_bad"]["source"] == "r"
    code, text, _ = sampan(capsys, "compare", onnx_model, tmp_path / "other.spn", "--shape", "x=1,3,5,5",
                           "--reference", "unoptimised")
    assert code == 1 and "The first in the order of computation" in text


def test_run_with_given_inputs(capsys, spn, tmp_path):
    x = np.arange(12, dtype=np.float32).reshape(1, 3, 2, 2)
    np.save(tmp_path / "x.npy", x)
    np.savez(tmp_path / "all.npz", image=x)
    for option in (["--input", f"image={tmp_path / 'x.npy'}"], ["--inputs", tmp_path / "all.npz"]):
        code, text, _ = sampan(capsys, "run", spn, *option, "--json")
        outputs = {o["name"]: o for o in json.loads(text)["outputs"]}
        assert code == 0 and outputs["double"]["max"] == 22 and outputs["shifted"]["max"] == 23
    hashes = {isa: json.loads(sampan(capsys, "run", spn, "--isa", isa, "--json")[1])["outputs"] for isa in _isas()}
    assert len({json.dumps(h) for h in hashes.values()}) == 1


def _isas() -> list[str]:
    from sampan.lite_runtime import isa_names

    return isa_names()


def test_bench(capsys, spn, tmp_path):
    trace = tmp_path / "trace.json"
    code, text, _ = sampan(capsys, "bench", spn, "--runs", "7", "--profile", "--trace", trace, "--json")
    result = json.loads(text)
    assert code == 0 and result["runs"] == 7 and result["min_ms"] <= result["median_ms"] <= result["p90_ms"]
    assert abs(sum(o["share"] for o in result["operators"]) - 1) < 1e-6 and 0 <= result["portable_share"] <= 1
    assert json.loads(trace.read_text())["traceEvents"]
    code, text, _ = sampan(capsys, "bench", spn, "--runs", "3", "--profile")
    assert code == 0 and "median" in text and "portable kernels" in text and "Add" in text


def test_inspect(capsys, spn):
    code, text, _ = sampan(capsys, "inspect", spn, "--nodes", "--tensors")
    assert code == 0
    for part in ("image", "[batch, 3, h, w]", "Add_double", "source_double", "labels = cat,dog"):
        assert part in text


def test_docs_operators(capsys, tmp_path):
    code, _, _ = sampan(capsys, "docs-operators", "-o", tmp_path / "operators.md")
    text = (tmp_path / "operators.md").read_text()
    assert code == 0 and "## Conv\n" in text and "`strides`" in text


def test_as_a_program(spn, tmp_path):
    def program(*args: object) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, "-m", "sampan.cli", *map(str, args)], capture_output=True, text=True,
                              cwd=tmp_path, env={**os.environ, "PYTHONIOENCODING": "utf-8"})

    done = program("run", spn, "--symbol", "h=4", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["inputs"] == {"image": [1, 3, 4, 224]}
    assert program("verify", tmp_path).returncode == 2
    (tmp_path / "bad.spn").write_bytes(b"SPN\x1a" + bytes(100))
    bad = program("verify", "bad.spn")
    assert bad.returncode == 3 and "Traceback" not in bad.stderr
    assert "opt" in program("--help").stdout
    assert "0.1.0" in program("--version").stdout
